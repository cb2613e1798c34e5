// A number that no branch of either version tells from others: only a query that asks for another result finds it.
// args: --sym-arg 8
// function: price
#include <stdio.h>

static int price(int n, int kind)
{
#ifdef NEW
	return n * 3 + kind + (n == 4321) * (kind == 7);
#else
	return n + n + n + kind;
#endif
}

int main(int argc, char **argv)
{
	int n = 0;
	if (argc < 2 || argv[1][0] != '#' || !argv[1][1])
		return 1;
	for (const char *p = argv[1] + 2; *p >= '0' && *p <= '9'; p++)
		n = n * 10 + (*p - '0');
	printf("%d\n", price(n, argv[1][1] - '0'));
	return 0;
}
