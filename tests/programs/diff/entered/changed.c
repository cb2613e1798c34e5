// Functions that no run of the program calls, each with a regression. Of some the structures changed, too.
// args: x
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A field is added in the middle, and the fields behind it move.
struct item {
	char tag;
#ifdef NEW
	long weight;
#endif
	int size;
	struct item *next;
};

int total(const struct item *list)
{
	int sum = 0;
	for (int i = 0; list && i < 3; list = list->next, i++)
#ifdef NEW
		sum += list->tag == 'x' ? 1 : list->size;
#else
		sum += list->size;
#endif
	return sum;
}

// Off by one.
void fill(int *to, unsigned n)
{
#ifdef NEW
	for (unsigned i = 0; i <= n && n < 3; i++)
#else
	for (unsigned i = 0; i < n && n < 3; i++)
#endif
		to[i] = 7;
}

// State that stays behind.
static int depth;
int enter(int deeper)
{
	if (deeper < 0)
#ifdef NEW
		return -1;
	depth += deeper;
#else
	{
		depth = 0;
		return -1;
	}
	depth += deeper;
#endif
	return 0;
}

// The check for null is gone.
int length(const struct item *i)
{
#ifdef NEW
	return i->size;
#else
	return i ? i->size : 0;
#endif
}

// Another argument of a call of the system.
int drop(const char *name, int all)
{
#ifdef NEW
	return all > 1 ? rmdir(name) : unlink(name);
#else
	return all ? rmdir(name) : unlink(name);
#endif
}

// Which object a pointer leads to.
struct item *pick(struct item *a, struct item *b)
{
	if (!a || !b)
		return NULL;
#ifdef NEW
	return a->size >= b->size ? a : b;
#else
	return a->size > b->size ? a : b;
#endif
}

// What a new object has.
struct item *copy(const struct item *i)
{
	struct item *n = malloc(sizeof *n);
	if (!n || !i)
		abort();
	n->tag = i->tag;
#ifdef NEW
	n->size = i->tag;
#else
	n->size = i->size;
#endif
	n->next = NULL;
	return n;
}

int main(int argc, char **argv)
{
	printf("%d\n", argc > 1 && argv[1][0] == 'k');
	return 0;
}
