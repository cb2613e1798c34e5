#include "benign.h"

int shift_negative_count(void)
{
	unsigned x = 0xf0f0f0f1u;
	int n = input(0) - 1;
	printf("%x %x\n", x << n, x >> n);
	return 0;
}
