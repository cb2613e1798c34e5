// One of two programs of tests/e2e/filters.sh. Marks name the bugs: `veer test` finds each along the paths of tests
// that have none of them.
#include <stdlib.h>

int divide(int a, int b);

#ifdef MORE
// A line more, and a function that was not there when the baseline was written.
static int extra(unsigned i)
{
	char table[5] = {0};
	return table[i]; // EXTRA
}
#endif

static int lookup(unsigned i)
{
	static const int table[4] = {1, 2, 3, 4};
	return table[i]; // LOOKUP
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	unsigned n = (unsigned char)argv[2][0] - '0';
	switch (argv[1][0]) {
	case 'd': return divide(10, (int)n);
	case 'l': return lookup(n);
#ifdef MORE
	case 'x': return extra(n);
#endif
	default: return 0;
	}
}
