// _BitInt of widths that do not fill their bytes
#include "golden.h"

int main(void)
{
	INPUT(unsigned long, l, 0x123456789a);
	INPUT(signed char, c, -3);
	_BitInt(37) a = (_BitInt(37))l;
	unsigned _BitInt(3) b = (unsigned _BitInt(3))c;
	unsigned _BitInt(100) w = l;
	_BitInt(200) far = c;
	IF(a == 0x123456789a - 0x2000000000);
	IF(a + 1 > 5);
	IF(b == 5);
	IF((unsigned _BitInt(3))(b + 3) == 0);
	IF(b << 1 == 2);
	IF(w * w > 7);
	IF(far < 0); // wider than labels go
	return 0;
}
