// A pointer far outside that comes back.
#include "benign.h"

int beyond_array(void)
{
	static int a[4] = {1, 2, 3, 4};
	int b[4] = {5, 6, 7, 8}, *p = a + 100, *q = b - 50;
	p -= 99 + input(0);
	q += 52;
	printf("%d %d %d\n", *p, *q, a + 4 == a + 3 + input(1));
	return 0;
}
