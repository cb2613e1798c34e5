// Parameters that are numbers, in all the ways they are passed.
#include <stdbool.h>

#include "brute.h"

struct pair {
	int a, b;
};
struct mixed {
	char c;
	double d;
	short s;
};
struct large {
	long v[6];
	struct pair p;
};
enum color { RED, GREEN = 3, BLUE };

int compare(int a, int b)
{
	if (D(a > 3))
		return 1;
	if (D(a == b))
		return 2;
	return D(b < -1) ? 3 : 4;
}

int booleans(bool a, bool b)
{
	if (D(a) && D(b))
		return 1;
	return D(a != b) ? 2 : 3;
}

int small(unsigned char a, signed char b, short c)
{
	if (D(a == 200))
		return 1;
	if (D(b < c))
		return 2;
	return D(a + b == 3) ? 1 : 0;
}

int colors(enum color c)
{
	switch (Q(c)) {
	case RED: return 1;
	case GREEN: return 2;
	case BLUE: return 3;
	}
	return 4;
}

int wide(long long a, unsigned __int128 b)
{
	if (D(a > 2))
		return 1;
	return D((b >> 64) == 1) ? 2 : 3;
}

int floats(double a, float b)
{
	if (D(a > 2))
		return D(b < 1) ? 1 : 2;
	return 3;
}

int by_value(struct pair p, struct mixed m, struct large l)
{
	if (D(p.a == 2))
		return D(l.p.b == p.b) ? 1 : 2;
	if (D(m.c == 'x'))
		return D(l.v[4] > m.s) ? 3 : 4;
	return 5;
}

int eight(int a, int b, int c, int d, int e, int f, int g, int h)
{
	if (D(a + b + c == 1))
		return D(g == h) ? 1 : 2;
	return D(d + e < f) ? 3 : 4;
}

static int unused(int a)
{
	if (D(a == 4))
		return 1;
	return D(a > 4) ? 2 : 3;
}

int variadic(int n, ...)
{
	if (D(n < 0))
		return 1;
	return D(n == 2) ? 2 : 3;
}

struct large returns_large(int n)
{
	struct large l = {{0}};
	if (D(n == 3))
		l.v[2] = 4;
	return l;
}

void nothing(void)
{
}

#ifdef BRUTE
int main(void)
{
	FROM(a, -2, 5) FROM(b, -2, 5) TRY(compare((int)a, (int)b));
	end_function("compare");
	FROM(a, 0, 1) FROM(b, 0, 1) TRY(booleans(a, b));
	end_function("booleans");
	FROM(a, 0, 255) FROM(b, -3, 3) FROM(c, -3, 3) TRY(small((unsigned char)a, (signed char)b, (short)c));
	end_function("small");
	for (int i = 0; i < 4; i++) { // values that are no case are one path
		noted[0] = 0;
		note('c', i);
		end_path();
	}
	end_function("colors");
	FROM(a, 0, 4) FROM(b, 0, 2) TRY(wide(a, (unsigned __int128)b << 64));
	end_function("wide");
	FROM(a, 0, 4) FROM(b, 0, 2) TRY(floats((double)a, (float)b));
	end_function("floats");
	FROM(a, 1, 2) FROM(b, 0, 1) FROM(c, 'w', 'x') FROM(s, 0, 1) FROM(v, 0, 1) FROM(q, 0, 1)
	{
		struct large l = {.v = {[4] = v}, .p = {.b = (int)q}};
		TRY(by_value((struct pair){(int)a, (int)b}, (struct mixed){.c = (char)c, .s = (short)s}, l));
	}
	end_function("by_value");
	FROM(a, 0, 1) FROM(d, 0, 1) FROM(f, 0, 1) FROM(g, 0, 1) TRY(eight((int)a, 0, 0, (int)d, 0, (int)f, (int)g, 0));
	end_function("eight");
	FROM(a, 3, 5) TRY(unused((int)a));
	end_function("unused");
	FROM(n, -1, 3) TRY(variadic((int)n));
	end_function("variadic");
	FROM(n, 2, 3) TRY(returns_large((int)n).v[0]);
	end_function("returns_large");
	TRY((nothing(), 0));
	end_function("nothing");
	return 0;
}
#else
int main(void)
{
	return unused(0) > 100;
}
#endif
