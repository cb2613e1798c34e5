#include "benign.h"
#include <limits.h>
static int divided(int a, int b)
{
	return b == 0 ? 0 : b == -1 ? (int)(0u - (unsigned)a) : a / b;
}
int division_guarded(void)
{
	printf("%d %d %d\n", divided(5, input(0)), divided(INT_MIN, input(0) - 1), divided(7, input(2)));
	return 0;
}
