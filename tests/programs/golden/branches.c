// br and phi: loops, && and ||, values that join
#include "golden.h"

int main(void)
{
	INPUT(unsigned char, n, 2);
	INPUT(int, a, 5);
	int x, sum = 0;
	for (int i = 0; i < n; i++)
		sum += a;
	IF(sum == 10);
	IF(a > 1 && a < 4);
	IF(a > 9 || n == 2);
	int both = a > 1 && n > 1;
	IF(both == 1);
	if (a == 5)
		x = a + 1;
	else
		x = 4;
	IF(x == 6);
	while (a) // until the highest bit is gone
		a >>= 2;
	if (__builtin_expect(n == 3, 0))
		taken++;
	return 0;
}
