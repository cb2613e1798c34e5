// args: 5
#include <stdio.h>
#include <stdlib.h>

#ifdef NEW
static int half(int x, int base)
{
	(void)base;
	return x / 2;
}
#define HALF(x) half(x, 10)
#else
static int half(int x)
{
	return x / 2;
}
#define HALF(x) half(x)
#endif

int main(int argc, char **argv)
{
	printf("%d\n", HALF(argc > 1 ? atoi(argv[1]) : 0));
	return 0;
}
