// Pointers: null, an object of their own, other objects of the same type.
#include "brute.h"

struct list {
	int value;
	struct list *next;
};
struct tree {
	int key;
	struct tree *left, *right;
};
struct pair {
	int a, b;
};

int is_null(int *p)
{
	return D(!p) ? 1 : 0;
}

int first(struct list *p)
{
	if (D(!p))
		return 0;
	A(p, 0);
	if (D(p->next == p))
		return 1;
	if (D(p->next) && D(p->next->value == 7))
		return 2;
	return 3;
}

// Both may be the same: the comparison decides, or the access.
int same(struct pair *x, struct pair *y)
{
	return D(x == y) ? 1 : 0;
}

int overwrites(struct pair *x, struct pair *y)
{
	x->a = 1;
	y->a = 2;
	A(y, x == y);
	return x->a;
}

int third(struct pair *x, struct pair *y, struct pair *z)
{
	x->a = 1;
	y->a = 2;
	A(y, y == x);
	z->a = 3;
	A(z, z == x ? 1 : z == y ? 2 : 0);
	return 0;
}

// Objects of another type are other objects.
int unlike(int *i, long *l)
{
	*i = 1;
	*l = 2;
	return *i;
}

int depth_two(struct list *p)
{
	if (D(p->value > 0))
		return 1;
	struct list *q = p->next;
	if (D(!q))
		return 2;
	A(q, q == p);
	return D(q->value > 0) ? 3 : 4;
}

// A pointer that nobody looks at decides nothing.
int ignored(struct tree *t)
{
	return D(t->key == 3) ? 1 : 0;
}

void releases(struct pair *p)
{
	if (D(p))
		free(p);
}

int resizes(int *p)
{
	int *q = realloc(p, 64);
	if (!q)
		return 0;
	int r = D(q[1] == 5) ? 1 : 0;
	free(q);
	return r;
}

int writes(struct pair *p, int n)
{
	p->a = n;
	p->b = p->a + 1;
	return D(p->b > 4) ? 1 : 0;
}

int copies(struct pair *p)
{
	struct pair own = *p;
	if (D(own.a == own.b))
		return 1;
	memset(p, 0, sizeof *p);
	return p->a;
}

int compares(const struct pair *p, const struct pair *q)
{
	return D(p < q) ? 1 : 0; // one is before the other: always
}

#ifdef BRUTE
int main(void)
{
	int one = 0;
	TRY(is_null(&one));
	TRY(is_null(NULL));
	end_function("is_null");
	struct list a = {0, NULL}, b = {0, NULL};
	TRY(first(NULL));
	FROM(next, 0, 2) FROM(value, 6, 7)
	{
		a.next = next == 0 ? NULL : next == 1 ? &a : &b;
		b.value = (int)value;
		TRY(first(&a));
	}
	end_function("first");
	struct pair p = {0, 0}, q = {0, 0}, r = {0, 0};
	TRY(same(&p, &p));
	TRY(same(&p, &q));
	end_function("same");
	TRY(overwrites(&p, &p));
	TRY(overwrites(&p, &q));
	end_function("overwrites");
	FROM(y, 0, 1) FROM(z, 0, 2)
	{
		struct pair *at_y = y ? &p : &q;
		TRY(third(&p, at_y, z == 0 ? &r : z == 1 ? &p : at_y));
	}
	end_function("third");
	TRY(unlike(&one, &(long){0}));
	end_function("unlike");
	FROM(value, 0, 1) FROM(other, 0, 1) FROM(next, 0, 2)
	{
		a.value = (int)value;
		b.value = (int)other;
		a.next = next == 0 ? NULL : next == 1 ? &a : &b;
		TRY(depth_two(&a));
	}
	end_function("depth_two");
	TRY(ignored(&(struct tree){.key = 3}));
	TRY(ignored(&(struct tree){.key = 2}));
	end_function("ignored");
	TRY((releases(NULL), 0));
	TRY((releases(malloc(8)), 0));
	end_function("releases");
	FROM(x, 4, 5)
	{
		int *m = calloc(4, sizeof *m);
		m[1] = (int)x;
		TRY(resizes(m));
	}
	end_function("resizes");
	FROM(n, 0, 9) TRY(writes(&p, (int)n));
	end_function("writes");
	TRY(copies(&(struct pair){1, 1}));
	TRY(copies(&(struct pair){1, 2}));
	end_function("copies");
	return 0;
}
#else
int main(void)
{
	return 0;
}
#endif
