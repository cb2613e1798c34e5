// `static` promises that many elements.
#include "benign.h"

static int sum(const int a[static 4], int n)
{
	int s = 0;
	if (!a)
		return -1;
	for (int i = 0; i < n; i++)
		s += a[i];
	return s;
}
int static_array_parameter(void)
{
	int two[2] = {4, 5};
	printf("%d %d\n", sum(two, input(2)), sum(null(), 0));
	return 0;
}
