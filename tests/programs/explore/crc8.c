// A CRC of 8 bits over two bytes must be the third.
// paths: 6
#include <klee/klee.h>
#include <stdint.h>

static uint8_t crc8(const uint8_t *p, int n)
{
	uint8_t crc = 0;
	for (int i = 0; i < n; i++) {
		crc ^= p[i];
		for (int bit = 0; bit < 8; bit++)
			crc = (uint8_t)(crc << 1 ^ (0x07 & -(crc >> 7)));
	}
	return crc;
}

int main(void)
{
	uint8_t in[3];
	klee_make_symbolic(in, sizeof in, "in");
	if (crc8(in, 2) != in[2])
		return 1;
	if (in[0] == 'O' && in[1] == 'K')
		return 0;
	if (in[2] == 0)
		return in[0] & 1;
	return 4;
}
