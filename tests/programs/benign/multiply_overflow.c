#include "benign.h"

int multiply_overflow(void)
{
	int a = 65536 + input(0), b = a * a;
	long c = (long)a * a * a;
	unsigned short s = 65535;
	s -= (unsigned short)input(0);
	int d = s * s; // promoted to int
	printf("%d %ld %d\n", b, c * c, d);
	return 0;
}
