// Whatever it is, it is one value.
#include "benign.h"

int uninitialised_same(void)
{
	int x;
	int a = x, b = x, differ = 0;
	if (a != b)
		differ++;
	if (x != a)
		differ++;
	if ((x & 1) != (b & 1))
		differ++;
	if (x > 5 && x <= 5)
		differ++;
	if (x == 7 || x != 7)
		printf("%d\n", differ);
	return 0;
}
