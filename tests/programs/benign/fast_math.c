// Not a number, infinity and -0.0 although it was promised that there are none.
#include "benign.h"
#include <math.h>
#pragma clang fp reassociate(on)
int fast_math(void)
{
	double zero = input(0), nan = zero / zero, infinity = 1 / zero;
	printf("%d %d %d %g\n", nan != nan, infinity > 1e308, nan == nan, 1 / -infinity);
	return 0;
}
