#include "benign.h"

int misaligned_double(void)
{
	char b[64];
	double *p = (double *)(b + input(1));
	long double *q = (long double *)(b + 24 + input(1));
	p[0] = 1.25, p[1] = p[0] * 2;
	*q = 3;
	printf("%g %g %Lg\n", p[0], p[1], *q * 2);
	return 0;
}
