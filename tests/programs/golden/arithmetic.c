// add, sub, mul and negation, of signed and unsigned integers
#include "golden.h"

int main(void)
{
	INPUT(int, a, 7);
	INPUT(unsigned, u, 9);
	INPUT(signed char, c, -2);
	INPUT(unsigned short, s, 65535);
	IF(u + 1 == 10);
	IF(u - 10 == ~0u);
	IF(u * u == 81);
	IF(-u == 5);
	IF(a + 1 == 8);
	IF(a - 7 == 0);
	IF(3 * a == 21);
	IF(-a == 7);
	IF(c + s == 65533);
	IF((unsigned char)(c + 1) == 255);
	IF((unsigned short)(s + 1) == 0);
	a += 5;
	IF(a == 12);
	a++;
	IF(a == 13);
	c--;
	IF(c == -3);
	return 0;
}
