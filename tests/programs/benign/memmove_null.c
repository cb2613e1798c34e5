#include "benign.h"
#include <string.h>
int memmove_null(void)
{
	char *d = null(), *s = null();
	memmove(d, s, (size_t)input(0));
	printf("%s %s\n", d ? "d" : "-", s ? "s" : "-");
	return 0;
}
