// Pointers that are not a multiple of their size apart.
#include "benign.h"

struct three {
	char c[12];
};
int difference_not_multiple(void)
{
	char b[64];
	struct three *p = (struct three *)b, *q = (struct three *)(b + 25 + input(0));
	printf("%td %d\n", q - p, q - p == 2);
	return 0;
}
