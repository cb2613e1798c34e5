// Functions that no run of the program calls, each written in another way: none behaves differently.
// args: x
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Fields are moved and renamed, one is added that nobody reads.
struct item {
#ifdef NEW
	struct item *next;
	long unused;
	char tag;
	int bytes;
#else
	int size;
	char tag;
	struct item *next;
#endif
};
#ifdef NEW
#define size bytes
#endif

// A parameter is renamed; the loop has another form.
#ifdef NEW
int total(struct item *first)
{
	int sum = 0, n = 0;
	while (first && n++ < 3) {
		sum += first->size;
		first->tag = 1;
		first = first->next;
	}
	return sum;
}
#else
int total(struct item *list)
{
	int sum = 0;
	for (int i = 0; i < 3; i++) {
		if (!list)
			break;
		list->tag = 1;
		sum += list->size;
		list = list->next;
	}
	return sum;
}
#endif

// The helper counts from 0 or from 1; its only caller makes up for it.
static int find(const char *text, char c)
{
	int i = 0;
	while (text[i] && text[i] != c)
		i++;
#ifdef NEW
	return text[i] ? i : -1;
#else
	return text[i] ? i + 1 : 0;
#endif
}

int has(const char *text, char c)
{
#ifdef NEW
	return find(text, c) >= 0;
#else
	return find(text, c) > 0;
#endif
}

// What is allocated first, what is left uninitialised, and where it lies.
struct pair {
	struct item *a, *b;
	char name[8];
	uintptr_t where;
};

struct pair *make(int n)
{
	struct pair *p;
#ifdef NEW
	struct item *b = malloc(sizeof *b), *a = malloc(sizeof *a);
	p = malloc(sizeof *p);
#else
	p = malloc(sizeof *p);
	struct item *a = malloc(sizeof *a), *b = malloc(sizeof *b);
#endif
	p->a = a;
	p->b = b;
	a->size = n;
	b->size = -n;
	a->next = b;
	b->next = a;
	strcpy(p->name, n > 9 ? "many" : "few");
	p->where = (uintptr_t)p;
	return p;
}

// The order in which objects are touched differs, and one may be the other.
int both(struct item *a, struct item *b)
{
	if (!a || !b)
		return -1;
#ifdef NEW
	int x = b->size, y = a->size;
	b->tag = 2;
	a->tag = 3;
	return y > x;
#else
	int x = a->size, y = b->size;
	b->tag = 2;
	a->tag = 3;
	return x > y;
#endif
}

// Another type of the same width.
#ifdef NEW
typedef unsigned counter;
#else
typedef int counter;
#endif
struct counts {
	counter hits, misses;
};

void hit(struct counts *c)
{
	c->hits += 1;
#ifdef NEW
	c->misses -= c->hits & 1;
#else
	if (c->hits % 2)
		c->misses--;
#endif
}

int main(int argc, char **argv)
{
	printf("%d\n", argc > 1 && argv[1][0] == 'k');
	return 0;
}
