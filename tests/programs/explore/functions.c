// A table of functions, called by what the input says; some call others that way.
// domain: objects 3 \0\1\2\3\4
// paths: 53
#include <klee/klee.h>

struct machine {
	const unsigned char *code;
	int at, value;
};
typedef int op(struct machine *m);

static int stop(struct machine *m)
{
	return m->value;
}
static int add(struct machine *m)
{
	m->value += 3;
	return -1;
}
static int twice(struct machine *m)
{
	m->value *= 2;
	return -1;
}
static int check(struct machine *m)
{
	if (m->value == 6)
		return 100;
	return -1;
}

static op *const ops[] = {stop, add, twice, check};

int main(void)
{
	unsigned char code[3];
	klee_make_symbolic(code, sizeof code, "code");
	struct machine m = {code, 0, 0};
	while (m.at < 3) {
		unsigned char c = code[m.at++];
		if (c >= 4)
			return 1;
		int r = ops[c](&m);
		if (r >= 0)
			return r == 100;
	}
	return 2;
}
