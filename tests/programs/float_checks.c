// Operations on floats that --checks=fp looks for, a function for each kind. Built with -DKIND=FUNCTION.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int divide(double x)
{
	return 3 / (x - 7) < 0.5;
}

static int root(double x)
{
	return sqrt(x - 9) > 2;
}

static int power(double x)
{
	return (float)(x * 1e38) > 1;
}

static int compare(double x)
{
	return x / 4 > 1;
}

static int cancel(double x)
{
	return (x + 1e15) - 1e15 > 3;
}

static int cast(double x)
{
	return (int)x > 1000;
}

// Nothing here is a finding: tests for NaN and infinity, an exact difference.
static int harmless(double x)
{
	double half = x - x / 2;
	if (x != x || isnan(x) || isinf(x) || x == INFINITY)
		return 1;
	return half == 0;
}

int main(int argc, char **argv)
{
	static int (*const kinds[])(double) = {divide, root, power, compare, cancel, cast, harmless};
	(void)kinds;
	if (argc < 2)
		return 2;
	if (KIND(atof(argv[1])))
		puts("yes");
	return 0;
}
