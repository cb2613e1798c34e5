/* clean */
// Computes with 64-bit numbers: calc EXPRESSION, with + - * / %, parentheses and a sign; says so when a result does not
// fit, when something is divided by zero, and when there are too many parentheses.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEEPEST = 20 };

static const char *at;
static int depth;

static void fail(const char *what)
{
	fprintf(stderr, "calc: %s\n", what);
	exit(1);
}

static long sum(void);

static long number(void)
{
	long v = 0;
	if (*at < '0' || *at > '9')
		fail("a number is missing");
	for (; *at >= '0' && *at <= '9'; at++)
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *at - '0', &v))
			fail("too large");
	return v;
}

static long factor(void)
{
	long v;
	if (*at == '-') {
		if (++depth > DEEPEST)
			fail("too many signs or parentheses");
		at++;
		v = factor();
		depth--;
		if (__builtin_sub_overflow(0, v, &v))
			fail("too large");
	} else if (*at == '(') {
		if (++depth > DEEPEST)
			fail("too many signs or parentheses");
		at++;
		v = sum();
		depth--;
		if (*at != ')')
			fail("a parenthesis is missing");
		at++;
	} else {
		v = number();
	}
	return v;
}

static long divide(long a, long b, char op)
{
	if (b == 0)
		fail("division by zero");
	if (b == -1) {
		// The smallest number by -1 does not fit; its rest is 0, but the processor does not know.
		if (op == '%')
			return 0;
		if (a == LONG_MIN)
			fail("too large");
		return -a;
	}
	return op == '/' ? a / b : a % b;
}

static long product(void)
{
	long v = factor();
	while (*at == '*' || *at == '/' || *at == '%') {
		char op = *at++;
		long w = factor();
		if (op != '*')
			v = divide(v, w, op);
		else if (__builtin_mul_overflow(v, w, &v))
			fail("too large");
	}
	return v;
}

static long sum(void)
{
	long v = product();
	while (*at == '+' || *at == '-') {
		char op = *at++;
		long w = product();
		if (op == '+' ? __builtin_add_overflow(v, w, &v) : __builtin_sub_overflow(v, w, &v))
			fail("too large");
	}
	return v;
}

int main(int argc, char **argv)
{
	if (argc != 2)
		fail("usage: calc EXPRESSION");
	at = argv[1];
	long v = sum();
	if (*at)
		fail("what is this?");
	printf("%ld\n", v);
	return 0;
}
