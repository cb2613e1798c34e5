// Memory of malloc that is read before it is written: a sparse set.
#include "benign.h"
#include <stdlib.h>
int uninitialised_heap(void)
{
	enum { N = 16 };
	unsigned *sparse = malloc(N * sizeof *sparse), *dense = malloc(N * sizeof *dense), n = 0, found = 0;
	for (unsigned i = 0; i < N; i += 3) {
		sparse[i] = n;
		dense[n++] = i;
	}
	for (unsigned i = 0; i < N; i++)
		found += sparse[i] < n && dense[sparse[i]] == i;
	printf("%u %u\n", n, found);
	free(sparse);
	free(dense);
	return 0;
}
