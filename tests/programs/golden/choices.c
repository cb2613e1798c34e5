// absolute values, min and max, saturation
#include <stdlib.h>

#include "golden.h"

int main(void)
{
	INPUT(int, a, -5);
	INPUT(int, b, 3);
	INPUT(unsigned char, c, 250);
	IF(abs(a) == 5);
	IF(__builtin_elementwise_abs(a) == 5);
	IF(__builtin_elementwise_min(a, b) == -5);
	IF(__builtin_elementwise_max(a, b) == 3);
	IF(__builtin_elementwise_min(c, (unsigned char)7) == 7);
	IF(__builtin_elementwise_max(c, (unsigned char)7) == 250);
	IF(__builtin_elementwise_add_sat(c, (unsigned char)7) == 255);
	IF(__builtin_elementwise_sub_sat(c, (unsigned char)251) == 0);
	IF(__builtin_elementwise_add_sat(a, -0x7fffffff) == -0x7fffffff - 1);
	IF(__builtin_elementwise_sub_sat(b, a) == 8);
	return 0;
}
