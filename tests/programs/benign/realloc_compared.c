// The old pointer is compared with the new one, and used if they are equal.
#include "benign.h"
#include <stdlib.h>
int realloc_compared(void)
{
	int *p = malloc(64), *q = p;
	*p = 5;
	p = realloc(p, 32); // shrinks in place
	if (p == q) {
		*q = 6;
		printf("%d\n", *p);
	} else {
		printf("%d\n", *p + 1);
	}
	free(p);
	return 0;
}
