#include "benign.h"
#include <limits.h>
#include <stdlib.h>
int negate_smallest(void)
{
	int a = INT_MIN + input(0);
	long b = LONG_MIN + input(0);
	printf("%d %d %ld %ld %d\n", -a, abs(a), -b, labs(b), abs(a) < 0);
	return 0;
}
