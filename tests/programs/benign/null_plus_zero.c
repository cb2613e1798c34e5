// Arithmetic on a null pointer, offset 0, then a test for null.
#include "benign.h"

int null_plus_zero(void)
{
	char *p = null(), *q = p + input(0);
	if (p)
		return 1;
	printf("%d\n", q == NULL);
	return 0;
}
