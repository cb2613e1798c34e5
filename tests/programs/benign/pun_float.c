// Bits of a float by way of a cast pointer.
#include "benign.h"

static unsigned bits(float *f)
{
	unsigned *u = (unsigned *)f;
	*f = 1.5f;
	*u += 1u << 23;
	return *u + (*f == 3.0f);
}
int pun_float(void)
{
	float f = 0;
	long i = 0x5f3759df - input(0);
	printf("%x %g %x\n", bits(&f), (double)f, (unsigned)*(int *)&i);
	return 0;
}
