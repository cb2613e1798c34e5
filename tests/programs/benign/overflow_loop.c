// A counter that wraps, as an index and as the end of the loop.
#include "benign.h"
#include <limits.h>
int overflow_loop(void)
{
	int n = 0;
	for (int i = INT_MAX - input(2); i > 0; i++)
		n++;
	short s = SHRT_MAX;
	s += input(1);
	printf("%d %d\n", n, s);
	return 0;
}
