// Code that looks dangerous and is correct: nothing may be reported.
// run: --sym-stdin 4
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
	unsigned char in[4] = {0};
	int table[8] = {0}, x;
	ssize_t n = read(0, in, sizeof in);
	if (n < 4)
		return 1;
	table[in[0] & 7] = 1;
	x = in[1] | in[2] << 8 | in[3] << 16;
	if (x > 70000 && x < 70003)
		x += INT_MAX - 70003;
	unsigned wraps = (unsigned)x * 0x10001u;
	char *copy = malloc((size_t)n);
	if (!copy)
		return 2; /* unreachable */
	memcpy(copy, in, (size_t)n);
	int r = copy[n - 1] == 'z' && wraps % 7 == 3 ? 3 : table[5] ? 4 : 5;
	free(copy);
	return r;
}
