// The value that is missing is not used.
#include "benign.h"

__attribute__((noinline)) static int note(int x)
{
	if (x)
		return x;
	printf("nothing to return\n");
}
int missing_return(void)
{
	note(input(0));
	printf("%d\n", note(input(7)));
	return 0;
}
