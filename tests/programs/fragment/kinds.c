// Objects of every kind of C that a pointer or a global can be.
#include <stdbool.h>

#include "brute.h"

union value {
	int number;
	char *text;
	double real;
};
struct tagged {
	int tag;
	union value is;
};
struct bits {
	unsigned low : 3, high : 5;
	bool set : 1;
	int rest : 4;
};
struct flexible {
	int n;
	short v[];
};
struct nested {
	struct {
		int x;
		struct {
			int *p;
		} inner;
	} outer[2];
};
typedef int operation(int);

static int twice(int x)
{
	return 2 * x;
}

static int half(int x)
{
	return x / 2;
}

static long other(long x)
{
	return x;
}

operation *volatile operations[] = {twice, half};
long (*volatile others)(long) = other;

// Numbers, and what the union points to, are different states of it.
int unions(struct tagged *t)
{
	if (D(t->tag == 1))
		return D(t->is.number == 5) ? 1 : 2;
	return 3;
}

int text_in_union(struct tagged *t)
{
	if (t->tag != 2)
		return 0;
	return t->is.text && t->is.text[0] == 'x' ? 1 : 2;
}

int bit_fields(struct bits *b)
{
	if (D(b->low == 5))
		return D(b->set) ? 1 : 2;
	return D(b->rest < 0) ? 3 : D(b->high > 30) ? 4 : 5;
}

// options flexible: -x 12
int flexible(struct flexible *f)
{
	return D(f->v[1] == 3) ? 1 : 0;
}

int nested(struct nested *n)
{
	if (D(n->outer[1].x == 4))
		return D(*n->outer[1].inner.p == 6) ? 1 : 2;
	return D(n->outer[0].inner.p) ? 3 : 4;
}

int array_of_pointers(int *v[2])
{
	return D(*v[0] == 2) ? 1 : 2;
}

int pointer_to_pointer(char **p)
{
	if (D(!*p))
		return 0;
	return D(**p == 'a') ? 1 : 2;
}

// twice, half, or null; other is of another type.
int calls(operation *f)
{
	if (D(!f))
		return 0;
	A(f, f == twice);
	return f(4);
}

// Bytes that become a structure.
// options casts: -x 64
int casts(void *p)
{
	struct tagged *t = p;
	if (D(t->tag == 7))
		return 1;
	return D(((char *)p)[20] == 'q') ? 2 : 3;
}

struct handle {
	int state;
	struct handle *next;
};

// No more is said of it than how it is used.
int opaque(void *h)
{
	if (D(!((struct handle *)h)->next))
		return 1;
	return D(((struct handle *)h)->next->state == 3) ? 2 : 3;
}

int copied(const void *h)
{
	const struct handle *own = h;
	return D(!own->next) ? 1 : 2;
}

int numbers(const double *d, const unsigned char *u)
{
	if (D(d[1] > 2))
		return 1;
	return D(u[2] == 200) ? 2 : 3;
}

#ifdef BRUTE
// Where states are too many to try, or a path ends at an object's end, paths are counted by hand.
int main(void)
{
	printf("unions 5\n");            // bytes: 3; text: the number is part of an address, which is never 5: 2
	printf("text_in_union 7\n");     // bytes: 3, one of which goes to an address that is none; text: 4
	printf("flexible 3\n");          // v[1] lies behind the object; then it grows: 2
	printf("array_of_pointers 2\n"); // v[1] is not looked at
	// Tag; byte 20 lies behind the object; then it grows: 2. Each with the union as bytes, as null, as text.
	printf("casts 12\n");
	printf("opaque 5\n"); // null; another one; itself
	printf("copied 2\n");
	FROM(low, 4, 5) FROM(high, 30, 31) FROM(set, 0, 1) FROM(rest, -1, 0)
	{
		struct bits b = {(unsigned)low, (unsigned)high, set, (int)rest};
		TRY(bit_fields(&b));
	}
	end_function("bit_fields");
	int one, two;
	FROM(x, 3, 4) FROM(same, 0, 1) FROM(value, 5, 6) FROM(null, 0, 1)
	{
		one = two = (int)value;
		struct nested n = {{{.inner = {null ? NULL : &one}}, {(int)x, {same ? &one : &two}}}};
		if (same && null) // no object is there to be the same
			continue;
		if (x == 4)
			A(p, same);
		TRY(nested(&n));
	}
	end_function("nested");
	char text[] = "a", *at = text;
	TRY(pointer_to_pointer(&at));
	text[0] = 'b';
	TRY(pointer_to_pointer(&at));
	at = NULL;
	TRY(pointer_to_pointer(&at));
	end_function("pointer_to_pointer");
	TRY(calls(NULL));
	TRY(calls(twice));
	TRY(calls(half));
	end_function("calls");
	FROM(d, 2, 3)
	FROM(u, 199, 200) TRY(numbers((double[]){0, (double)d}, (unsigned char[]){0, 0, (unsigned char)u}));
	end_function("numbers");
	return 0;
}
#else
int main(void)
{
	return 0;
}
#endif
