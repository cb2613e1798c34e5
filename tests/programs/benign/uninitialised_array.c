// A table of which parts are read without having been written, and masked.
#include "benign.h"

int uninitialised_array(void)
{
	unsigned char seen[64];
	int n = 0;
	for (int i = 0; i < 64; i += 2)
		seen[i] = 1;
	for (int i = 0; i < 64; i++)
		n += seen[i] & (i % 2 == 0);
	printf("%d\n", n);
	return 0;
}
