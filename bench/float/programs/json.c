// A list of numbers as JSON has them.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

static int digits(const char **at)
{
	const char *from = *at;
	while (isdigit((unsigned char)**at))
		++*at;
	return *at > from;
}

// 1: a number; 0: none
static int number(const char **at, double *ret)
{
	const char *from = *at, *p = from;
	if (*p == '-')
		p++;
	if (*p == '0')
		p++;
	else if (!digits(&p))
		return 0;
	if (*p == '.' && (p++, !digits(&p)))
		return 0;
	if (*p == 'e' || *p == 'E') {
		p++;
		if (*p == '+' || *p == '-')
			p++;
		if (!digits(&p))
			return 0;
	}
	*ret = strtod(from, NULL);
	*at = p;
	return 1;
}

int main(void)
{
	char text[32];
	const char *at = text;
	double x, sum = 0;
	int n = 0;
	if (!fgets(text, sizeof text, stdin) || *at++ != '[')
		return 1;
	do {
		if (!number(&at, &x)) {
			puts("no number");
			return 2;
		}
		sum += x;
		n++;
	} while (*at == ',' && at++);
	if (*at != ']')
		return 3;
	if (n > 1 && sum == 2.5)
		puts("two and a half");
	if (sum > 1e6)
		puts("large");
	if (n == 1 && x == 1.5e3)
		puts("1500");
	if (x < 0 && x * x == 0.25)
		puts("minus one half");
	return 0;
}
