// p + n < p as a test.
#include "benign.h"
#include <stdint.h>
int pointer_overflow(void)
{
	char b[16], *p = b + input(1);
	size_t huge = SIZE_MAX - (size_t)input(0);
	printf("%d %d\n", p + huge < p, p + 4 < p);
	return 0;
}
