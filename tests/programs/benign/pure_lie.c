// pure and const functions with effects.
#include "benign.h"

static int calls;
__attribute__((pure, noinline)) static int counted(int x)
{
	calls++;
	return x;
}
__attribute__((const, noinline)) static int noted(int x)
{
	printf("noted %d\n", x);
	return x;
}
int pure_lie(void)
{
	int s = counted(1) + counted(1);
	s += noted(s);
	s += noted(2);
	printf("%d %d\n", s, calls);
	return 0;
}
