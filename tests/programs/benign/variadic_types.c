// int for unsigned, long for size_t, pointers of another type, and more than the format asks for.
#include "benign.h"
#include <stdarg.h>
static long sum(int n, ...)
{
	va_list ap;
	long s = 0;
	va_start(ap, n);
	for (int i = 0; i < n; i++)
		s += va_arg(ap, unsigned);
	char **p = va_arg(ap, char **);
	va_end(ap);
	return s + (p != NULL);
}
int variadic_types(void)
{
	int x = input(5);
	printf("%u %zu %lx %c\n", x, (long)x, (long long)x, 65u, 3);
	printf("%ld\n", sum(3, 1, 2, x, &x));
	return 0;
}
