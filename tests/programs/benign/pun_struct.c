// Objects with a common beginning that is not in a union.
#include "benign.h"

struct base {
	int kind;
	int count;
};
struct derived {
	int kind;
	int count;
	double value;
};
__attribute__((noinline)) static int change(struct base *b, struct derived *d)
{
	d->count = 1;
	b->count = 2;
	return d->count;
}
int pun_struct(void)
{
	struct derived d = {1, 0, 2.5};
	printf("%d %g\n", change((struct base *)&d, &d), d.value);
	return 0;
}
