#include "benign.h"

int null_minus_null(void)
{
	char *p = null(), *q = null();
	printf("%td %d\n", p - q, p <= q);
	return p ? 1 : 0;
}
