// A hash of the input: the first of 16 bits, the second of 32.
#include "bomb.h"
#include <stdint.h>

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	uint32_t hash = 2166136261u;
	for (const char *at = argv[1]; *at; at++)
		hash = (hash ^ (uint8_t)*at) * 16777619u;
#if LEVEL == 1
	if ((hash & 0xfff) == 0x123)
		bomb();
#else
	if (hash == 0x1a47e90bu) // of "abc"
		bomb();
#endif
	return 0;
}
