// A float that does not fit: the processor has a value for it.
#include "benign.h"

int float_to_integer(void)
{
	double d = 1e30 + input(0), n = -1e30 + input(0);
	float f = 3e9f + (float)input(0);
	int a = (int)d, b = (int)f;
	long c = (long)n;
	double zero = input(0);
	printf("%d %d %ld %d\n", a, b, c, (int)(zero / zero));
	printf("%d %d\n", (unsigned char)(int)d, a < 0 ? -1 : a > 1000);
	return 0;
}
