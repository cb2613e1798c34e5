// udiv, sdiv, urem, srem
#include "golden.h"

int main(void)
{
	INPUT(int, a, -7);
	INPUT(int, b, 2);
	INPUT(unsigned long, u, 100);
	IF(a / b == -3);
	IF(a % b == -1);
	IF(u / 7 == 14);
	IF(u % 7 == 2);
	IF(100 / (unsigned)b == 50);
	IF(a / 1 == 0);
	return 0;
}
