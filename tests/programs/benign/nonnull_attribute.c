// A function of the program's own that is declared nonnull and looks all the same.
#include "benign.h"

__attribute__((nonnull, noinline)) static int length(const char *s)
{
	int n = 0;
	if (!s)
		return -1;
	while (s[n])
		n++;
	return n;
}
int nonnull_attribute(void)
{
	printf("%d %d\n", length("abc"), length(null()));
	return 0;
}
