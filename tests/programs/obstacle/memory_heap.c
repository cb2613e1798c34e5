// Nodes of a list are allocated, removed and found by the input.
#include "bomb.h"

struct node {
	int value;
	struct node *next;
};

int main(int argc, char **argv)
{
	struct node *list = NULL;
	if (argc < 2)
		return 1;
	for (const char *at = argv[1]; *at; at++)
		if (*at >= 'a' && *at <= 'z') {
			struct node *new = malloc(sizeof(*new));
			if (!new)
				return 1;
			*new = (struct node){*at - 'a', list};
			list = new;
		} else if (*at == '-' && list) {
			struct node *old = list;
			list = old->next;
			free(old);
		}
	int sum = 0, count = 0;
	for (struct node *node = list; node; node = node->next, count++)
		sum += node->value;
	if (count == LEVEL + 1 && sum == 40 + 10 * (LEVEL - 1))
		bomb();
	return 0;
}
