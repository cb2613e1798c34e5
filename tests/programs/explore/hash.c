// Hashes that have to be turned round.
// domain: objects 2
// paths: 4
#include <klee/klee.h>
#include <stdint.h>

int main(void)
{
	uint8_t in[2];
	klee_make_symbolic(in, sizeof in, "in");
	uint32_t fnv = 2166136261u;
	for (int i = 0; i < 2; i++)
		fnv = (fnv ^ in[i]) * 16777619u;
	if (fnv == 0x663437afu)
		return 1;
	uint64_t x = (uint64_t)(in[0] << 8 | in[1]) * 0x9e3779b97f4a7c15u;
	if (x >> 48 == 0x1234)
		return 2;
	if (x % 1000 == 7)
		return 3;
	return 0;
}
