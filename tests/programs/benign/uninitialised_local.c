// Read, but of no consequence.
#include "benign.h"

int uninitialised_local(void)
{
	int x, y = input(0);
	int z = x & y;
	unsigned char c;
	c ^= c;
	if (y)
		x = 1;
	printf("%d %d %d\n", z, c, y && x);
	return 0;
}
