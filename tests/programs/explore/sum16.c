// A format with a sum over 16 bits: magic byte, length, payload, sum. Behind the sum stands a bug.
// run: --sym-stdin 8
// finds: error stack-buffer-overflow BUG
#include <stdint.h>
#include <string.h>
#include <unistd.h>

static uint16_t sum_of(const uint8_t *p, int n)
{
	uint16_t sum = 0;
	for (int i = 0; i < n; i++)
		sum = (uint16_t)((sum << 1 | sum >> 15) + p[i]);
	return sum;
}

int main(void)
{
	uint8_t in[8], copy[3];
	if (read(0, in, 8) != 8)
		return 1;
	if (in[0] != 0xb7)
		return 2;
	if (in[1] > 4)
		return 3;
	if (sum_of(in, 6) != (in[6] | in[7] << 8))
		return 4;
	for (int i = 0; i < in[1]; i++)
		copy[i] = in[2 + i]; // BUG
	return memcmp(copy, "abc", 3) == 0 ? 0 : 5;
}
