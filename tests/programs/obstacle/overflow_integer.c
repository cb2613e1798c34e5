// Arithmetic that wraps.
#include "bomb.h"
#include <stdint.h>

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	uint32_t n = (uint32_t)strtoul(argv[1], NULL, 10);
#if LEVEL == 1
	if (n > 1000 && n * 12u < 16)
		bomb();
#else
	uint16_t low = (uint16_t)(n * n);
	int8_t sign = (int8_t)(n >> 5);
	if (n > 70000 && low == 0x1751 && sign < 0)
		bomb();
#endif
	return 0;
}
