// args: 12 3
// function: steps
// Steps to 1 of the Collatz sequence; the new version's cache forgets to look at what it is for.
#include <stdio.h>
#include <stdlib.h>

struct entry {
	unsigned n, steps;
	int used;
};

static struct entry cache[8];

static unsigned compute(unsigned n)
{
	unsigned steps = 0;
	for (; n > 1 && steps < 1000; steps++)
		n = n % 2 ? 3 * n + 1 : n / 2;
	return steps;
}

static unsigned steps(unsigned n)
{
	struct entry *e = &cache[n % 8];
#ifdef NEW
	if (!e->used)
#else
	if (!e->used || e->n != n)
#endif
		*e = (struct entry){.n = n, .steps = compute(n), .used = 1};
	return e->steps;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		unsigned n = (unsigned)atoi(argv[i]);
		if (n == 0 || n > 10000) {
			fprintf(stderr, "%s: not from 1 to 10000\n", argv[i]);
			return 1;
		}
		printf("%u: %u\n", n, steps(n));
	}
	return 0;
}
