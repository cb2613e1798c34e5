// Contents of what comes from the stack at run time, read before they are written.
#include "benign.h"
#include <alloca.h>
int vla_and_alloca(void)
{
	int n = input(8), v[n];
	unsigned char *p = alloca((size_t)n);
	int s = 0;
	for (int i = 0; i < n; i++) {
		v[i] = (v[i] & 0) + i;
		p[i] = (unsigned char)((p[i] & 0) + 1);
		s += v[i] * p[i];
	}
	printf("%d\n", s);
	return 0;
}
