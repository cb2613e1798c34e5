// Sorted by qsort, then searched.
// run: --sym-stdin 3
#include <stdlib.h>
#include <unistd.h>

static int compare(const void *a, const void *b)
{
	return *(const unsigned char *)a - *(const unsigned char *)b;
}

int main(void)
{
	unsigned char in[3], key = 'k';
	if (read(0, in, 3) != 3)
		return 1;
	qsort(in, 3, 1, compare);
	if (in[0] > in[2])
		return 2; /* unreachable */
	if (!bsearch(&key, in, 3, 1, compare))
		return 3;
	return in[2] - in[0] == 100 ? 4 : 5;
}
