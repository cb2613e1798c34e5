// args: +3-1
// Functions, fields, a type and a global have new names, and the functions another order.
#include <stdio.h>

#ifdef NEW
#define counter account
#define value balance
#define steps postings
#define apply account_post
#define show account_print
#define total_steps all_postings
#endif

struct counter {
	int value;
	unsigned steps;
};

static unsigned total_steps;

static int apply(struct counter *c, char sign, char digit);

#ifdef NEW
static void show(const struct counter *c)
{
	printf("%d after %u of %u\n", c->value, c->steps, total_steps);
}
#endif

static int apply(struct counter *c, char sign, char digit)
{
	if (digit < '0' || digit > '9')
		return -1;
	total_steps++;
	if (sign == '+')
		c->value += digit - '0';
	else if (sign == '-')
		c->value -= digit - '0';
	else
		return -1;
	c->steps++;
	return 0;
}

#ifndef NEW
static void show(const struct counter *c)
{
	printf("%d after %u of %u\n", c->value, c->steps, total_steps);
}
#endif

int main(int argc, char **argv)
{
	struct counter c = {0};
	int failed = 0;
	for (const char *p = argc > 1 ? argv[1] : ""; p[0] && p[1] && !failed; p += 2)
		failed = apply(&c, p[0], p[1]) < 0;
	show(&c);
	return failed;
}
