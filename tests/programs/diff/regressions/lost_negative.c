// args: 1+2
// function: sum
// A sum of products; errors are negative, and the new version lets one of them pass.
#include <stdio.h>
#include <string.h>

enum { SYNTAX = -1, RANGE = -2 };

static int factor(const char **p)
{
	int value = 0;
	if (**p < '0' || **p > '9')
		return SYNTAX;
	for (; **p >= '0' && **p <= '9'; ++*p) {
		value = value * 10 + **p - '0';
		if (value > 999)
			return RANGE;
	}
	return value;
}

static int product(const char **p)
{
	int value = factor(p);
	while (value >= 0 && **p == '*') {
		++*p;
		int next = factor(p);
		value = next < 0 ? next : value * next % 1000;
	}
	return value;
}

static int sum(const char *p)
{
	int value = product(&p);
	while (value >= 0 && *p == '+') {
		p++;
		int next = product(&p);
#ifdef NEW
		if (next == SYNTAX)
#else
		if (next < 0)
#endif
			return next;
		value += next;
	}
	return value >= 0 && *p ? SYNTAX : value;
}

int main(int argc, char **argv)
{
	int value = argc > 1 ? sum(argv[1]) : SYNTAX;
	if (value == SYNTAX)
		puts("syntax");
	else if (value == RANGE)
		puts("too large");
	else
		printf("%d\n", value);
	return value < 0 ? -value : 0;
}
