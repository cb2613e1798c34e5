#include "benign.h"

static int clamp(double d)
{
	int i = (int)d;
	return i < 0 ? -1 : i > 100 ? 100 : i;
}
int float_constant_to_integer(void)
{
	double huge = 1e300;
	printf("%d %d %d\n", clamp(huge), clamp(-huge), clamp(5.5));
	return 0;
}
