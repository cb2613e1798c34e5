#include "benign.h"

int assume_lie(void)
{
	int x = input(3);
	__builtin_assume(x == 4);
	printf("%d %d\n", x, x == 4);
	return 0;
}
