// Globals that start as cells: as they are initialised, and anything else.
#include "brute.h"

struct node {
	int value;
	struct node *next;
};

int limit = 3;
static long hidden = 5;
const int fixed = 7;
static _Thread_local int own = 1;
char *name = "abc";
struct node *head;
struct node sentinel = {1, &sentinel};
int table[3] = {1, 2, 3};

// options number: -g limit
int number(int x)
{
	return D(x > limit) ? 1 : 0;
}

// options statics: -g hidden
int statics(void)
{
	return D(hidden == 6) ? 1 : 0;
}

// What is const stays.
// options constant: -g fixed
int constant(int x)
{
	return D(x == fixed) ? 1 : 0;
}

// options threads: -g own
int threads(void)
{
	return D(own > 1) ? 1 : 0;
}

// options local: -g local.calls
int local(void)
{
	static int calls;
	return D(calls++ == 3) ? 1 : 0;
}

// A pointer can stay what it is.
// options pointer: -g name
int pointer(void)
{
	if (D(!name))
		return 0;
	A(name, strcmp(name, "abc") == 0);
	return name[0];
}

// One that is null is an object as well.
// options list: -g head
int list(void)
{
	if (D(!head))
		return 0;
	return D(head->value == 2) ? 1 : 2;
}

// What is passed may be a global.
// options alias: -g sentinel
int alias(struct node *n)
{
	if (D(n == &sentinel))
		return 1;
	return D(n) ? 2 : 3;
}

// options array: -g table
int array(unsigned i)
{
	if (D(i >= 3))
		return 0;
	return D(table[i] == 9) ? 1 : 2;
}

// Not made up: as initialised.
int real(void)
{
	return D(limit == 3) ? 1 : 0;
}

#ifdef BRUTE
int main(void)
{
	FROM(x, 3, 4) TRY(number((int)x));
	end_function("number");
	FROM(x, 5, 6)
	{
		hidden = x;
		TRY(statics());
	}
	end_function("statics");
	FROM(x, 6, 7) TRY(constant((int)x));
	end_function("constant");
	FROM(x, 1, 2)
	{
		own = (int)x;
		TRY(threads());
	}
	end_function("threads");
	for (int i = 0; i < 4; i++)
		TRY(local());
	end_function("local");
	TRY(pointer());
	name = "x";
	TRY(pointer());
	name = NULL;
	TRY(pointer());
	end_function("pointer");
	TRY(list());
	head = &sentinel;
	TRY(list());
	sentinel.value = 2;
	TRY(list());
	end_function("list");
	struct node n;
	TRY(alias(&sentinel));
	TRY(alias(&n));
	TRY(alias(NULL));
	end_function("alias");
	TRY(array(3));
	TRY(array(0));
	table[1] = 9;
	TRY(array(1));
	end_function("array");
	printf("real 1\n"); // nothing is symbolic
	return 0;
}
#else
int main(void)
{
	return local() + (int)hidden + own;
}
#endif
