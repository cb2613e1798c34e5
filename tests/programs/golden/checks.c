// checks of undefined behaviour: none is a branch, and one that fails does not end the run
#include <stddef.h>

#include "golden.h"

__attribute__((nonnull)) __attribute__((noinline)) static void need(int *p)
{
	taken += p != NULL;
}

__attribute__((returns_nonnull)) __attribute__((noinline)) static int *give(int *p)
{
	return p;
}

int main(void)
{
	INPUT(int, a, 0x7fffffff);
	INPUT(unsigned char, n, 40);
	INPUT(double, d, 1e30);
	INPUT(unsigned char, flag, 2);
	static long objects[8];
	char *bytes = (char *)objects;
	taken = a + 1;
	taken = a - -1;
	taken = a * 2;
	taken = -(a + 1);
	taken = 1 << n;
	taken = a << 1;
	taken = (int)d;
	taken = (n / 10 == 4) / (n - 39);
	taken = __builtin_ctz(n - 40);
	taken = *(_Bool *)&flag;
	taken = *(int *)(bytes + n / 8);
	taken = *(short *)(bytes + (n + 1) % 16);
	taken = objects[n % 9];
	bytes -= n; // a choice inside of the check is not one of the program
	int *p = (int *)(size_t)(n - 40);
	need(p);
	taken = give(p) != NULL;
	return 0;
}
