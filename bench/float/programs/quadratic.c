// Roots of a quadratic equation, from the command line.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	double a = atof(argv[1]), b = atof(argv[2]), c = atof(argv[3]);
	if (a == 0) {
		if (b == 0)
			puts(c == 0 ? "all numbers" : "none");
		else
			puts("linear");
		return 0;
	}
	double d = b * b - 4 * a * c;
	if (d < 0)
		puts("complex");
	else if (d == 0)
		puts("one");
	else {
		double x = (-b + sqrt(d)) / (2 * a), y = (-b - sqrt(d)) / (2 * a);
		if (x == 3 || y == 3)
			puts("three is one");
		else if (x > 0 && y > 0)
			puts("both positive");
		else
			puts("two");
	}
	return 0;
}
