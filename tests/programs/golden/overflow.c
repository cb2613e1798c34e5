// the intrinsics with overflow: result and flag
#include "golden.h"

int main(void)
{
	INPUT(int, a, 0x7fffffff);
	INPUT(unsigned, u, 3);
	INPUT(signed char, c, -128);
	int r;
	unsigned v;
	signed char d;
	long l;
	IF(__builtin_add_overflow(a, 1, &r));
	IF(r < 0);
	IF(__builtin_sub_overflow(a, -1, &r));
	IF(__builtin_mul_overflow(a, 2, &r));
	IF(__builtin_add_overflow(u, ~0u, &v));
	IF(v == 2);
	IF(__builtin_sub_overflow(u, 4, &v));
	IF(__builtin_mul_overflow(u, 0x60000000u, &v));
	IF(__builtin_sub_overflow((signed char)0, c, &d));
	IF(__builtin_add_overflow(a, u, &l)); // of different types
	IF(l == 0x80000002);
	IF(__builtin_uadd_overflow(u, 1, &v));
	return 0;
}
