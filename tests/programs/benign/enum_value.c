#include "benign.h"

enum small { ZERO, ONE, TWO };
__attribute__((noinline)) static const char *name(enum small e)
{
	switch (e) {
	case ZERO: return "zero";
	case ONE: return "one";
	case TWO: return "two";
	}
	return "other";
}
int enum_value(void)
{
	printf("%s %s\n", name((enum small)input(7)), name((enum small)(input(0) - 1)));
	return 0;
}
