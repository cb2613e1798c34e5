// The address of a member, then the test.
#include "benign.h"

struct node {
	int head[4];
	struct node *next;
	int x;
};
static int get(struct node *p)
{
	int *q = &p->x;
	if (!p)
		return -1;
	return *q;
}
int member_of_null(void)
{
	struct node n = {.x = 5};
	printf("%d %d\n", get(&n), get(null()));
	return 0;
}
