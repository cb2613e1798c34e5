// Variadic arguments on the stack, where a function before had labels (tests/e2e/trace.sh).
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
__attribute__((noinline)) static int fill(const char *s)
{
	char copies[64][4];
	int n = 0;
	for (int i = 0; i < 64; i++)
		memcpy(copies[i], s, 4);
	for (int i = 0; i < 64; i++)
		n += copies[i][1] == 'b';
	return n;
}
__attribute__((noinline)) int sum(int n, ...)
{
	va_list list;
	long double all = 0;
	va_start(list, n);
	while (n--)
		all += va_arg(list, long double);
	va_end(list);
	return (int)all;
}
int (*volatile call)(int, ...) = sum;
__attribute__((noinline)) static int add(void)
{
	return call(10, 1.0L, 2.0L, 3.0L, 4.0L, 5.0L, 6.0L, 7.0L, 8.0L, 9.0L, 10.0L);
}
int main(int argc, char **argv)
{
	int n = fill(argv[1]);
	printf("%d %d\n", n, add());
	return 0;
}
