// A structure that is half filled is copied and passed by value.
#include "benign.h"

struct half {
	int used;
	int unused;
	char name[8];
};
__attribute__((noinline)) static int use(struct half h)
{
	return h.used;
}
int uninitialised_struct(void)
{
	struct half h, g;
	h.used = input(4);
	h.name[0] = 'x';
	g = h;
	printf("%d %d %c\n", use(h), use(g), g.name[0]);
	return 0;
}
