// Hashes that count on wrapping.
#include "benign.h"

int signed_overflow(void)
{
	int h = 5381;
	for (const char *p = "benign undefined behaviour"; *p; p++)
		h = h * 33 + *p;
	printf("%d\n", h);
	return 0;
}
