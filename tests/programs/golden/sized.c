// accesses at concrete offsets into objects whose size is input
#include <stdlib.h>
#include <string.h>

#include "golden.h"

int main(void)
{
	INPUT(unsigned char, n, 40);
	INPUT(unsigned char, k, 3);
	char *b = malloc(n + 4u);
	b[3] = 1; // is always there
	for (int i = 0; i < 20; i++)
		b[i] = 1; // one check, of the last
	b[10] = 2;        // was checked
	for (int i = 20; i < 24; i++) {
		b[i] = 2; // a check for each place
		b[i + 1] = 3;
	}
	IF(n > 10);
	b[25] = 4; // another one: the path says more
	for (int i = 30; i < k + 30; i++)
		b[i] = 5; // a condition for each
	memset(b, 0, 40);
	char copy[42];
	memcpy(copy, b, 42);
	memcpy(b, copy, k); // the size has a label; nothing new afterwards
	b[2] = 6;
	b = realloc(b, k * 16u);
	*(int *)(b + 4) = 7;
	free(b);
	b = malloc(64); // of a fixed size
	b[63] = 1;
	free(b);
	long *c = calloc(k, n);
	c[2] = 8;
	free(c);
	for (int i = 0; i < 3; i++) {
		long *same = malloc(n * 8u);
		same[i & 1] = 1; // of the same size: nothing new the third time
		free(same);
		IF(n > i);
	}
	long double *wide = malloc(n * 16u);
	wide[1] = 9; // has no label
	free(wide);
	return 0;
}
