#include "benign.h"

__attribute__((noinline)) static int add(int *restrict a, const int *restrict b)
{
	*a += *b;
	*a += *b;
	return *a;
}
__attribute__((noinline)) static void shift_down(int *restrict to, const int *restrict from, int n)
{
	for (int i = 0; i < n; i++)
		to[i] = from[i];
}
int restrict_lie(void)
{
	int x = 3, list[8] = {0, 1, 2, 3, 4, 5, 6, 7};
	int r = add(&x, &x);
	shift_down(list, list + 1, 7);
	printf("%d %d %d\n", r, list[0], list[6]);
	return 0;
}
