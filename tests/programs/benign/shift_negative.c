#include "benign.h"

int shift_negative(void)
{
	int a = input(0) - 5, b = 0x7fffffff - input(0);
	printf("%d %d %d %d\n", a << 3, a >> 1, b << 1, 1 << (31 + input(0)));
	return 0;
}
