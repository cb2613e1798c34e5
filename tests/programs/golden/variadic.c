// arguments of variadic functions: registers, stack, structures, va_copy
#include <stdarg.h>

#include "golden.h"

struct large {
	int v[10];
};
struct pair {
	long x, y;
};

__attribute__((noinline)) static void take(int n, ...)
{
	va_list ap, again;
	va_start(ap, n);
	va_copy(again, ap);
	IF(va_arg(ap, int) == 7);
	IF(va_arg(ap, double) == 2.5);
	IF(va_arg(ap, long) == 1);
	IF(va_arg(ap, struct pair).y == 7);
	IF(va_arg(ap, struct large).v[3] == 7);
	IF(va_arg(ap, long double) == 2.5L);
	IF(va_arg(ap, int) == 7);
	IF(va_arg(ap, int) == 8);
	va_end(ap);
	IF(va_arg(again, int) == 7);
	va_end(again);
}

__attribute__((noinline)) static int first(va_list ap)
{
	return va_arg(ap, int);
}

__attribute__((noinline)) static int forward(int n, ...)
{
	va_list ap;
	va_start(ap, n);
	int x = first(ap);
	va_end(ap);
	return x;
}

int main(void)
{
	INPUT(int, a, 7);
	INPUT(double, d, 2.5);
	struct large l = {{0}};
	l.v[3] = a;
	take(3, a, d, 1l, (struct pair){1, a}, l, (long double)d, a, a + 1);
	IF(forward(1, a) == 7);
	IF(forward(1, 7) == 7);
	return 0;
}
