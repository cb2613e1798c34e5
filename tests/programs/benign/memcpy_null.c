// A null pointer with length 0 for a parameter that is declared nonnull.
#include "benign.h"
#include <string.h>
int memcpy_null(void)
{
	char d[4] = "abc", *s = null();
	memcpy(d, s, (size_t)input(0));
	if (!s) {
		printf("none %s\n", d);
		return 3;
	}
	printf("some\n");
	return 0;
}
