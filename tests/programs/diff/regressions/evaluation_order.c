// args: 72-
// function: apply
// A calculator in reverse Polish notation.
#include <ctype.h>
#include <stdio.h>

enum { DEPTH = 16 };

struct stack {
	long values[DEPTH];
	int n, failed;
};

static void push(struct stack *s, long value)
{
	if (s->n < DEPTH)
		s->values[s->n++] = value;
	else
		s->failed = 1;
}

static long pop(struct stack *s)
{
	if (s->n > 0)
		return s->values[--s->n];
	s->failed = 1;
	return 0;
}

static void apply(struct stack *s, char operator)
{
#ifdef NEW
	long left = pop(s), right = pop(s);
#else
	long right = pop(s), left = pop(s);
#endif
	switch (operator) {
	case '+': push(s, left + right); break;
	case '*': push(s, left * right); break;
	case '-': push(s, left - right); break;
	default: s->failed = 1;
	}
}

int main(int argc, char **argv)
{
	struct stack s = {.n = 0};
	for (const char *p = argc > 1 ? argv[1] : ""; *p && !s.failed; p++) {
		if (isdigit((unsigned char)*p))
			push(&s, *p - '0');
		else if (*p != ' ')
			apply(&s, *p);
	}
	if (s.failed || s.n != 1) {
		fputs("no expression\n", stderr);
		return 1;
	}
	printf("%ld\n", pop(&s));
	return 0;
}
