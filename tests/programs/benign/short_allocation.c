// A structure of which only the beginning is allocated.
#include "benign.h"
#include <stdlib.h>
struct large {
	int kind;
	int small;
	double rest[8];
};
int short_allocation(void)
{
	struct large *p = malloc(offsetof(struct large, rest));
	p->kind = 1;
	p->small = input(6);
	printf("%d %d\n", p->kind, p->small);
	free(p);
	return 0;
}
