// calls: direct, through pointers, recursive, of functions without labels
#include <search.h>

#include "golden.h"

__attribute__((noinline)) static int twice(int x)
{
	return 2 * x;
}

__attribute__((noinline)) static int thrice(int x)
{
	return 3 * x;
}

__attribute__((noinline)) static int five(int x)
{
	return 5;
}

__attribute__((noinline)) static unsigned factorial(unsigned n)
{
	return n ? n * factorial(n - 1) : 1;
}

static int compare(const void *x, const void *y)
{
	return *(const int *)x - *(const int *)y;
}

__attribute__((pure, noinline)) int next(const int *x)
{
	return *x + 1;
}

// Their calls say that nothing is written; labels come back through memory all the same.
__attribute__((pure, alias("next"))) int pure_next(const int *x);
__attribute__((noinline)) int half(int x)
{
	return x / 2;
}
__attribute__((const, alias("half"))) int const_half(int x);

int main(void)
{
	INPUT(int, a, 3);
	INPUT(unsigned char, c, 1);
	int (*volatile pointer)(int) = twice;
	int (*const choose[2])(int) = {twice, thrice};
	IF(twice(a) == 6);
	IF(pointer(a) == 6);
	IF(next(&a) == 4);
	int b = pure_next(&a), d = pure_next(&b), e = const_half(b), f = const_half(d);
	IF(b == 4);
	IF(d == 5);
	IF(e + f == 4);
	IF(five(a) == 5); // concrete
	IF(choose[c](a) == 9);
	IF(factorial(c) == 1);
	int list[] = {1, 3, 5};
	size_t n = 3;
	IF(lfind(&a, list, &n, sizeof *list, compare) == list + 1); // libc calls back; its result is concrete
	return 0;
}
