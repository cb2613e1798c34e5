// assume_aligned and aligned types that are not true.
#include "benign.h"
#include <stdint.h>
typedef int aligned_int __attribute__((aligned(16)));
int aligned_lie(void)
{
	char b[64] = {0};
	char *p = b + 16 - ((uintptr_t)b & 15) + 4 + input(0);
	int *a = __builtin_assume_aligned(p, 16);
	aligned_int *c = (aligned_int *)p;
	*a = 5;
	*c += 2;
	printf("%d %d\n", *c, (int)((uintptr_t)a & 15));
	return 0;
}
