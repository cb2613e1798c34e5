#include "benign.h"
#include <stdlib.h>
static int order(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}
int qsort_null(void)
{
	int *list = null();
	qsort(list, (size_t)input(0), sizeof *list, order);
	printf("%s\n", list ? "list" : "-");
	return bsearch("x", list, (size_t)input(0), sizeof *list, order) != NULL;
}
