// __attribute__((malloc)) of a function that gives what others have.
#include "benign.h"

static int pool[4];
__attribute__((malloc, alloc_size(1), noinline)) static int *take(size_t n)
{
	return pool + n % 4;
}
int malloc_lie(void)
{
	int *p = take((size_t)input(1)), *q = take((size_t)input(5));
	*p = 1;
	*q = 2;
	printf("%d %d %d\n", *p, p == q, p == pool + 1);
	return 0;
}
