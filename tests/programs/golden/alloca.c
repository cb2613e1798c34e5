// alloca of a fixed size, after something else was done
#include "golden.h"

static char other[2];

static __attribute__((noinline)) void fill(char *p, int a)
{
	p[0] = 5;
	p[1] = (char)a;
}

static __attribute__((noinline)) char take(unsigned char n, int a)
{
	fill(other, 3);
	char *p = __builtin_alloca(2);
	fill(p, a);
	return p[n];
}

int main(void)
{
	INPUT(unsigned char, n, 1);
	INPUT(int, a, 7);
	IF(take(n, a) == 7);
	return 0;
}
