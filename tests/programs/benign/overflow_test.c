// A test for overflow that the overflow itself is to show.
#include "benign.h"
#include <limits.h>
static int grows(int a, int b)
{
	return a + b < a;
}
int overflow_test(void)
{
	printf("%d %d %d\n", grows(INT_MAX, input(1)), grows(1, input(1)), INT_MAX - input(0) + input(1) > 0);
	return 0;
}
