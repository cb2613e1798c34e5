#include "benign.h"

static int is_in(const char *p, const char *low, const char *high)
{
	return p >= low && p < high;
}
int unrelated_pointers(void)
{
	static char a[16], c[8];
	char b[16];
	printf("%d %d %d\n", is_in(a + input(3), a, a + 16), is_in(b, a, a + 16), is_in(c, a, a + 16));
	return 0;
}
