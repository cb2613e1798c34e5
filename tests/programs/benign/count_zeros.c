// __builtin_clz(0), whose value is not looked at.
#include "benign.h"

int count_zeros(void)
{
	unsigned x = (unsigned)input(0);
	int lead = __builtin_clz(x), trail = __builtin_ctz(x);
	printf("%d %d\n", x ? lead : 32, x ? trail : 32);
	return 0;
}
