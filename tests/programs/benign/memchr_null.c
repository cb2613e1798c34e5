#include "benign.h"
#include <string.h>
int memchr_null(void)
{
	char *d = null(), *r = memchr(d, 'x', (size_t)input(0));
	printf("%s %s\n", r ? "r" : "-", d ? "d" : "-");
	return 0;
}
