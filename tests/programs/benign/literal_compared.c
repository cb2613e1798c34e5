// Equal literals, and a literal as an array of another type.
#include "benign.h"

int literal_compared(void)
{
	const char *a = "literal", *b = "literal";
	int n = *(const int *)(const void *)"abcdefg";
	printf("%x %d\n", n, a[input(0)] == b[input(0)]);
	return 0;
}
