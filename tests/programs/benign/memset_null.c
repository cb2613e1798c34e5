#include "benign.h"
#include <string.h>
int memset_null(void)
{
	char *d = null();
	memset(d, 0, (size_t)input(0));
	printf("%s\n", d ? "d" : "-");
	return 0;
}
