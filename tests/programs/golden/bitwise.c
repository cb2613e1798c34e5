// and, or, xor, not
#include "golden.h"

int main(void)
{
	INPUT(unsigned, u, 0x0f);
	INPUT(unsigned char, c, 0xf0);
	IF((u & 0x3c) == 0x0c);
	IF((u | c) == 0xff);
	IF((u ^ c) == 0xff);
	IF(~u == 0xfffffff0);
	IF((unsigned char)~c == 0x0f);
	IF(u & 1);
	IF(!u);
	IF((u & 0) == 0); // does not depend on u
	return 0;
}
