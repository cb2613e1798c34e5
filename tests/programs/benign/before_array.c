// Arrays from 1 on, as in Numerical Recipes, and loops that run down.
#include "benign.h"

int before_array(void)
{
	int a[5] = {1, 2, 3, 4, 5}, *one = a - 1, s = 0;
	for (int i = 1; i <= 5; i++)
		s += one[i] * i;
	for (int *p = a + 4; p >= a; p--)
		s = s * 2 + *p;
	printf("%d\n", s + one[input(1)]);
	return 0;
}
