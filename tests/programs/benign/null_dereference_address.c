// &*p and &p[0] of a null pointer; p++ from null.
#include "benign.h"

int null_dereference_address(void)
{
	int *p = null(), *q = &*p, *r = &p[input(0)], *s = p;
	s++;
	s--;
	printf("%d %d %d\n", q == NULL, r == NULL, s == NULL);
	return 0;
}
