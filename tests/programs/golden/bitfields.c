// bit-fields: reading, writing beside others, signed ones
#include "golden.h"

struct bits {
	unsigned low : 5;
	signed mid : 7;
	unsigned high : 20;
	_Bool flag : 1;
	unsigned long far : 40;
};

int main(void)
{
	INPUT(unsigned char, c, 0x55);
	struct bits b = {0};
	b.low = c;
	IF(b.low == 0x15);
	IF(b.mid == 0); // another field of the same word
	b.mid = c;
	IF(b.mid == -43);
	b.flag = c & 1;
	IF(b.flag);
	b.far = (unsigned long)c << 30;
	IF(b.far == 0x1540000000);
	b.low++;
	IF(b.low == 0x16);
	return 0;
}
