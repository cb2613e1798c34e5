// args: (a)
// function: parse
// Nested lists; the new version gives up at a smaller depth, with an assertion.
#include <assert.h>
#include <stdio.h>

#ifdef NEW
enum { DEEPEST = 4 };
#else
enum { DEEPEST = 8 };
#endif

struct parser {
	const char *p;
	int atoms, depth, deepest;
};

static int parse(struct parser *s)
{
	while (*s->p) {
		char c = *s->p++;
		if (c == '(') {
			if (++s->depth > s->deepest)
				s->deepest = s->depth;
#ifdef NEW
			assert(s->depth <= DEEPEST);
#endif
			if (s->depth > DEEPEST)
				return -1;
			if (parse(s) < 0)
				return -1;
		} else if (c == ')') {
			return --s->depth < 0 ? -1 : 0;
		} else if (c != ' ') {
			s->atoms++;
		}
	}
	return s->depth > 0 ? -1 : 0;
}

int main(int argc, char **argv)
{
	struct parser s = {.p = argc > 1 ? argv[1] : ""};
	if (parse(&s) < 0) {
		puts("malformed");
		return 1;
	}
	printf("%d atoms, depth %d\n", s.atoms, s.deepest);
	return 0;
}
