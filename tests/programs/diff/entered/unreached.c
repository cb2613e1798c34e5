// A string is converted to a number; the sign is applied twice. The program itself never converts.
// args: x
// function: toarith
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum type { INTEGER, STRING };
typedef struct {
	enum type type;
	union {
		long i;
		char *s;
	} u;
} VALUE;

static bool looks_like_integer(const char *cp)
{
	cp += *cp == '-';
	do
		if (*cp < '0' || *cp > '9')
			return false;
	while (*++cp);
	return true;
}

bool toarith(VALUE *v)
{
	switch (v->type) {
	case INTEGER: return true;
	case STRING: {
		long value = 0;
		char *cp = v->u.s;
		if (!looks_like_integer(cp))
			return false;
		bool neg = *cp == '-';
#ifdef NEW
		int sign = neg ? -1 : 1;
		if (neg)
			cp++;
		do
			value = value * 10 + sign * (*cp - '0');
		while (*++cp);
#else
		if (neg)
			cp++;
		do
			value = value * 10 + (*cp - '0');
		while (*++cp);
#endif
		v->u.i = neg ? -value : value;
		v->type = INTEGER;
		return true;
	}
	}
	return false;
}

int main(int argc, char **argv)
{
	printf("%d\n", argc > 1 && argv[1][0] == 'k');
	return 0;
}
