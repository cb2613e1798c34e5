#include "benign.h"

int printf_null(void)
{
	char *p = null();
	printf("<%s>\n", p);
	printf("<%.0s>\n", p);
	return p != NULL;
}
