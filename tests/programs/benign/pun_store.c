// Two names for one object, of different types, in one function.
#include "benign.h"

__attribute__((noinline)) static int both(int *i, float *f)
{
	*i = 1;
	*f = 0;
	return *i;
}
__attribute__((noinline)) static long pointers(void **p, long *l)
{
	*l = 7;
	*p = null();
	return *l;
}
int pun_store(void)
{
	int x = 5;
	long y = 6;
	printf("%d %ld\n", both(&x, (float *)&x), pointers((void **)&y, &y));
	return 0;
}
