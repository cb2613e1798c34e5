// Definitions in the style of Kernighan and Ritchie; arguments of the wrong size and sign.
#include "benign.h"

static int old(a, b, c)
char a;
int b;
short c;
{
	return a + b + c;
}
int old_style(void)
{
	int (*f)() = (int (*)())old;
	printf("%d %d\n", old(1, 2, 3), f('a', 2u, 3));
	return 0;
}
