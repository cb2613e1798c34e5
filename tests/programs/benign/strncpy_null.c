#include "benign.h"
#include <string.h>
int strncpy_null(void)
{
	char d[4] = "abc", *s = null();
	strncpy(d, s, (size_t)input(0));
	printf("%s %s\n", d, s ? "s" : "-");
	return strncmp(s, d, (size_t)input(0));
}
