// double: arithmetic, comparisons, to and from integers and other floats
#include "golden.h"

int main(void)
{
	double x = 2.5;
	veer_make_symbolic(&x, 8, "x");
	INPUT(int, a, -3);
	INPUT(unsigned long, u, 7);
	IF(x + 1 == 3.5);
	IF(x - 1 == 1.5);
	IF(x * 2 == 5);
	IF(x / 2 == 1.25);
	IF(-x < 0);
	IF(x != 2);
	IF(x < 1);
	IF(x <= 1);
	IF(x > 1);
	IF(x >= 1);
	IF((int)x == 2);
	IF((unsigned char)x == 2);
	IF((long)x == 2);
	IF((unsigned long)x == 2);
	IF((double)a == -3);
	IF((double)u == 7);
	IF((float)x == 2.5f);
	IF((double)x == 2.5);
	IF((long double)x == 2.5L);
	IF((_Bool)x);
	return 0;
}
