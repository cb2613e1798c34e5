// Code that looks at the low bits of a pointer that it has used already.
#include "benign.h"
#include <stdint.h>
int misaligned_test(void)
{
	char b[16] = {1, 2, 3, 4, 5, 6, 7, 8};
	int *p = (int *)(b + input(0) + (((uintptr_t)b & 3) == 0));
	int v = *p;
	printf("%d %s\n", v != 0, (uintptr_t)p & 3 ? "odd" : "even");
	return 0;
}
