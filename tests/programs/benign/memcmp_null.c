#include "benign.h"
#include <string.h>
int memcmp_null(void)
{
	char *d = null();
	int r = memcmp(d, "x", (size_t)input(0));
	printf("%d %s\n", r, d == NULL ? "-" : "d");
	return 0;
}
