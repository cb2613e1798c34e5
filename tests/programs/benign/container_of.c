// The object around a member of a list, before it is known that there is one.
#include "benign.h"

struct link {
	struct link *next;
};
struct item {
	int value;
	struct link link;
};
#define CONTAINER(p) ((struct item *)((char *)(p) - offsetof(struct item, link)))
int container_of(void)
{
	struct item two = {2, {NULL}}, one = {1, {&two.link}};
	struct link *l = &one.link;
	for (struct item *i = CONTAINER(l); l; l = l->next, i = CONTAINER(l))
		printf("%d ", i->value);
	struct item *last = CONTAINER(l);
	printf("%d\n", &last->link == NULL);
	return 0;
}
