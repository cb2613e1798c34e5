#include "benign.h"

union any {
	double d;
	unsigned long u;
	unsigned char c[8];
	struct {
		unsigned low, high;
	} w;
};
int pun_union(void)
{
	union any a = {.d = 1.0};
	a.w.high += 0x100000u << input(0);
	a.c[0] = 1;
	union any *p = &a;
	double *d = &p->d;
	unsigned *w = &p->w.low;
	*w = 0;
	printf("%g %lx %g\n", a.d, a.u, *d);
	return 0;
}
