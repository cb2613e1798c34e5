// Conditions of many shapes on a small input; tests/e2e/trace.sh solves the other
// side of each branch and runs it.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "veer.h"

static unsigned char in[12] = "GET /a=12;x";
static int32_t n = 3;

static int number(const unsigned char *s, int *used)
{
	int value = 0;
	for (*used = 0; s[*used] >= '0' && s[*used] <= '9' && *used < 4; ++*used)
		value = value * 10 + (s[*used] - '0');
	return value;
}

int main(void)
{
	static const uint8_t weights[16] = {1, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
	int score = 0, used;
	if (veer_make_symbolic) {
		veer_make_symbolic(in, sizeof in, "in");
		veer_make_symbolic(&n, sizeof n, "n");
	}
	if (in[0] == 'G' && in[1] == 'E' && in[2] == 'T')
		score += 1;
	if (number(in + 7, &used) == 12)
		score += 2;
	if (used > 2)
		score += 4;
	switch (in[5]) {
	case 'a': score += 8; break;
	case 'b': score += 16; break;
	case 'z': score += 32; break;
	default: score += 64;
	}
	uint32_t word;
	memcpy(&word, in + 4, 4);
	if ((word ^ 0x5a5a5a5a) % 1000 < 500)
		score += 128;
	if (weights[in[10] & 15] > 20)
		score += 256;
	if ((int64_t)n * n > 1000 || n / 7 == -2)
		score += 512;
	if ((n >> 3 & 5) == 4)
		score += 1024;
	if ((double)n / 4 > 2.5)
		score += 2048;
	int local[8];
	for (int i = 0; i < 8; i++)
		local[i] = i * i - in[3];
	if (local[in[9] & 7] < -20)
		score += 4096;
	printf("%d\n", score);
	return 0;
}
