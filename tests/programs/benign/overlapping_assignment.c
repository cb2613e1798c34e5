// A structure is assigned to a part of itself.
// Sanitized: ends
#include "benign.h"

struct block {
	long a, b;
};
union overlap {
	struct {
		struct block first;
	} x;
	struct {
		long shift;
		struct block second;
	} y;
};
int overlapping_assignment(void)
{
	union overlap u = {.y = {0, {1, 2}}}, *p = &u, *q = p + input(0);
	*p = *q;
	p->x.first = q->y.second;
	printf("%ld %ld %ld\n", u.x.first.a, u.x.first.b, u.y.second.b);
	return 0;
}
