// shl, lshr, ashr
#include "golden.h"

int main(void)
{
	INPUT(int, a, -64);
	INPUT(unsigned, u, 0x80000001);
	INPUT(unsigned char, n, 3);
	IF(a >> 3 == -8);
	IF(u >> 31 == 1);
	IF(u << 4 == 16);
	IF(u >> n == 0x10000000);
	IF(1ul << n == 8);
	IF(u << 0 == 5);
	IF(1 << n == 8); // the check looks at the base when the count is right
	return 0;
}
