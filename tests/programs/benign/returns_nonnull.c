#include "benign.h"

__attribute__((returns_nonnull, noinline)) static char *find(char *s)
{
	return input(0) ? s : null();
}
int returns_nonnull(void)
{
	char c = 'x', *p = find(&c);
	printf("%s\n", p ? "found" : "none");
	return 0;
}
