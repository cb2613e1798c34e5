#include "benign.h"
#include <stdlib.h>
int freed_compared(void)
{
	char *p = malloc(8), *q = p;
	free(p);
	printf("%d %d\n", p == q, p != NULL);
	return 0;
}
