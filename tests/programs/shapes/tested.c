#include "tested.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int limit = 100;
struct node *first;
static int calls;

int sum(const struct node *list, int *count)
{
	int s = 0;
	for (; list; list = list->next) {
		s += list->value * (int)(list->flags + 1);
		++*count;
	}
	calls++;
	return s > limit ? limit : s;
}

struct node *find(struct node *list, const char *name)
{
	while (list && strcmp(list->name, name) != 0)
		list = list->next;
	first = list;
	return list;
}

vec scale(vec v, double by)
{
	return (vec){v.x * by, v.y * by};
}

int total(struct packet *p)
{
	int t = 0;
	for (unsigned i = 0; i < p->length; i++)
		t += p->data[i];
	return t;
}

static int helper(int v)
{
	return v * 31 + 7;
}

// Two of its callees: one of the unit, one of another.
int ask(int key)
{
	int found = 0, v = lookup(helper(key), &found);
	if (found > 5)
		return v + lookup(v, &found);
	return -v;
}

// Hard to come by: the loop's state is what matters.
int steps(int n)
{
	unsigned h = 5381;
	int odd = 0;
	if (n < 0)
		return -1;
	for (int i = 0; i < n; i++) {
		h = h * 33 + (unsigned)i;
		if (h == 0x7a69)
			odd += 100;
		if (i % 2)
			odd++;
	}
	while (odd > 10)
		odd -= 7;
	do {
		odd++;
	} while (odd % 3);
	return odd;
}

int again(int n)
{
	int turns = 0;
retry:
	if (n-- > 0) {
		turns++;
		goto retry;
	}
	return turns;
}

int crash(int *p)
{
	return *p;
}

int stop(int n)
{
	exit(n);
}

int noise(void)
{
	int here;
	return (int)((unsigned long)&here >> 4);
}

#define BUMP(n)                                                                                                        \
	do {                                                                                                           \
		(n)++;                                                                                                 \
	} while (0)

// Ends the program in several ways, after it did something: every kind of statement stands before that.
int early(struct node *n, int mode)
{
	int turns = 0, i;
	for (i = 0; i < 3; i++)
		BUMP(turns);
	do
		turns += 2;
	while (turns < 9);
	limit = turns;
	if (mode == 1)
		exit(4);
	else if (mode == 2) {
		limit++;
		abort();
	} else
		limit += 20;
	switch (mode) {
	case 3: limit = 7; /* falls through */
	case 4:
		n->value = limit;
		limit = n->next->value;
		break;
	default:
		if (mode == 5)
			goto out;
	}
	{
		int more[] = {1, 2};
		limit += more[mode & 1];
	}
out:
	while (n)
		limit += n->value, n = n->next;
#ifdef NOBODY
	if (mode)
#endif
		limit++;
	return n->value;
}

// What the system says decides.
int load(const char *path)
{
	char head[4];
	int fd = open(path, O_RDONLY);
	if (fd < 0)
		return errno == ENOENT ? -2 : -3;
	long n = read(fd, head, sizeof head);
	sleep(100);
	close(fd);
	if (n < (long)sizeof head)
		return n < 0 ? -4 : -5;
	const char *word = getenv("WORD");
	if (memcmp(head, word ? word : "\177ELF", sizeof head) == 0)
		return 7;
	return 1;
}

void rename_node(struct node *n, const char *name)
{
	strncpy(n->name, name, sizeof n->name - 1);
	n->kind = LINK_KIND;
	n->level = 17;
	n->u.f = 0.5f;
}

int release_node(struct node *n)
{
	int value = n->value;
	free(n);
	return value;
}

int grow(struct node *n)
{
	n = realloc(n, 2 * sizeof *n);
	n[1] = n[0];
	return n[1].value + 1;
}

// More than it was given: what is behind the object, nobody knows.
void fill(int *numbers, int n)
{
	for (int i = 0; i < n; i++)
		numbers[i] = i;
}

// Where objects lie is up to the compiler.
long apart(const struct node *n, const int *count)
{
	return (const char *)n - (const char *)count;
}

static int half(int result, const char *format, ...)
{
	return result / 2 + (format != NULL);
}

int twice(int result)
{
	return half(4 * result, "%d", result);
}

int use_callback(int (*callback)(int), int v)
{
	return callback ? callback(v) : v;
}

int main(int argc, char **argv)
{
	int count = 0;
	struct node n = {.value = argc};
	printf("%d %d %s\n", sum(&n, &count), ask(argc), argv[0]);
	return 0;
}
