#include "benign.h"

int shift_by_width(void)
{
	unsigned x = 0x80000001u;
	unsigned long y = 0x8000000000000001ul;
	int n = 32 + input(0), m = 64 + input(0);
	printf("%x %x %lx %lx\n", x << n, x >> n, y << m, y >> m);
	printf("%x %d\n", x >> (n + 1), -8 >> (n + 1));
	return 0;
}
