// Calls that are replaced: results, output parameters, globals that the callee names.
#include "brute.h"

struct point {
	int x, y;
};
struct node {
	int value;
	struct node *next;
};
struct large {
	long v[4];
};
int level;
static char text[8] = "abc";

#ifdef BRUTE
static long script[8];
static int n_script;
#define STUB(real, made_up) made_up
#else
#define STUB(real, made_up) real
#endif

// None of these returns what its callers want to see.
__attribute__((noinline)) int lookup(int key)
{
	return STUB(key & 1, (int)script[n_script++]);
}

__attribute__((noinline)) static void measure(struct point *p, const struct point *from)
{
	STUB((p->x = from->x, p->y = 0), (p->x = (int)script[0], p->y = (int)script[1]));
}

__attribute__((noinline)) static void deeper(void)
{
	STUB(level = 1, level = (int)script[0]);
}

__attribute__((noinline)) void adjust(void)
{
	deeper();
}

__attribute__((noinline)) struct node *find(struct node *from, int value)
{
	while (from && from->value != value)
		from = from->next;
	return from;
}

__attribute__((noinline)) struct large make(void)
{
	struct large l = {{STUB(0, script[0])}};
	return l;
}

__attribute__((noinline)) struct point corner(void)
{
	struct point p = {STUB(0, (int)script[0]), 0};
	return p;
}

__attribute__((noinline)) void fill(char *buffer)
{
	strcpy(buffer, STUB("", script[0] ? "xy" : ""));
}

__attribute__((noreturn, noinline)) void give_up(void)
{
	exit(3);
}

// options results: -s lookup
int results(int key)
{
	if (D(lookup(key) == 7))
		return 1;
	return D(lookup(key) > 5) ? 2 : 3;
}

// options outputs: -s measure
int outputs(void)
{
	struct point p = {1, 2}, from = {3, 4};
	measure(&p, &from);
	if (D(p.x == 9))
		return 1;
	if (from.x != 3)
		abort();
	return D(p.y == -1) ? 2 : 3;
}

// options globals: -s adjust
int globals(void)
{
	level = 0;
	adjust();
	return D(level > 4) ? 1 : 0;
}

// options returns_pointer: -s find
int returns_pointer(int value)
{
	struct node *n = find(NULL, value);
	if (D(!n))
		return 0;
	return D(n->value == value) ? 1 : 2;
}

// options returns_structure: -s make -s corner
int returns_structure(void)
{
	if (D(make().v[0] == 4))
		return 1;
	return D(corner().x == 5) ? 2 : 3;
}

// options buffer: -s fill
int buffer(void)
{
	char own[8] = "";
	fill(own);
	return D(own[0] == 'x') ? 1 : 0;
}

// options keeps: -s give_up
int keeps(int n)
{
	if (D(n > 0))
		give_up();
	return 0;
}

// options real: -s results
int real(int key)
{
	return D(lookup(key)) ? text[0] : 0;
}

#ifdef BRUTE
int main(void)
{
	FROM(a, 4, 8) FROM(b, 4, 8)
	{
		script[0] = a;
		script[1] = b;
		n_script = 0;
		TRY(results(0));
	}
	end_function("results");
	FROM(a, 8, 9) FROM(b, -1, 0)
	{
		script[0] = a;
		script[1] = b;
		TRY(outputs());
	}
	end_function("outputs");
	FROM(a, 4, 5)
	{
		script[0] = a;
		TRY(globals());
	}
	end_function("globals");
	printf("returns_pointer 3\n"); // null, the value, another value
	FROM(a, 4, 5)
	{
		script[0] = a;
		TRY(returns_structure());
	}
	script[0] = 6;
	TRY(returns_structure());
	end_function("returns_structure");
	FROM(a, 0, 1)
	{
		script[0] = a;
		TRY(buffer());
	}
	end_function("buffer");
	printf("keeps 2\n"); // a function that does not return cannot be replaced
	FROM(a, 0, 1)
	{
		script[0] = a;
		n_script = 0;
		TRY(real(0));
	}
	end_function("real");
	return 0;
}
#else
int main(void)
{
	return 0;
}
#endif
