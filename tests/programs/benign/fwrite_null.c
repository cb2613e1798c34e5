#include "benign.h"

int fwrite_null(void)
{
	char *p = null();
	size_t n = fwrite(p, 1, (size_t)input(0), stdout);
	n += fread(p, 1, (size_t)input(0), stdin);
	printf("%zu %s\n", n, p ? "p" : "-");
	return 0;
}
