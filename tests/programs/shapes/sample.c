#include "sample.h"

#include <setjmp.h>
#include <stdlib.h>

struct list *first;
int limit = 4;
static _Thread_local int depth;
static point origin, *origin_address = &origin;
const char *greeting = "hello";
extern int elsewhere;

static int twice(int v, const char *text)
{
	static int calls;
	calls++;
	return 2 * v + (text ? text[0] : 0);
}

static int once(int v, const char *text)
{
	(void)text;
	return v;
}

const operation operations[3] = {twice, once};

int drop(int v)
{
	return v - elsewhere;
}

int walk(struct list *l, const uint8_t *bytes, size_t n, ...)
{
	int sum = 0;
	for (size_t i = 0; i < n; i++) {
		int sum = bytes[i];
		limit += sum;
	}
	for (int i = 0; l; l = l->next, i++)
		sum += l->run ? l->run(i, l->text) : drop(l->tail[0]);
	return sum + depth + origin_address->x;
}

struct big make_big(struct big from, point p, int)
{
	struct big result = from;
	result.v[0] += p.x;
	return result;
}

struct numbers sum_numbers(const struct numbers *n, union any u, struct packed p)
{
	struct numbers m = *n;
	m.i += u.i + p.value;
	return m;
}

int apply(int which, const char *text)
{
	return operations[which](1, text);
}

int renamed(int v)
{
	operation chosen = v ? once : NULL;
	return chosen ? chosen(v, greeting) : 0;
}

static jmp_buf where;

int jumps(int n)
{
	return setjmp(where) ? n : 0;
}

int variable(size_t n)
{
	int v[n];
	v[0] = 1;
	return v[0] + (int)sizeof v;
}

void give_up(const char *why)
{
	(void)why;
	exit(3);
}

int old_style(a, b)
int a;
char b;
{
	return a + b;
}

int with_label(int n)
{
	struct list {
		int other;
	} own = {n}, *mine = &own;
again:
	if (mine->other++ < 10)
		goto again;
	return mine->other;
}

int plant(struct tree *t, struct forest *f)
{
	return t->of == f && f->roots[0].left == t && f->apart.c;
}

int values(struct numbers n, struct list *l, const char *text, struct bits b, union any u, struct packed *p,
           char letter)
{
	return n.i + l->at.x + text[0] + b.b + u.i + p->value + letter + limit;
}
