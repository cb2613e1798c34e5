// select: which value it is becomes part of the expression, and is an event
#include "golden.h"

int main(void)
{
	INPUT(int, a, 3);
	INPUT(int, b, 8);
	int known = taken;
	int x = a > 2 ? 10 : 20;
	IF(x == 10);
	IF(x + b == 18);
	int y = known ? a : b; // the condition is known
	IF(y == 8);
	int z = a < b ? a : 5;
	IF(z == 3);
	(void)(b + (a > 4 ? 1 : 2)); // its result is needed by the check only
	return 0;
}
