// ctpop, ctlz, cttz, and what is made of them
#include "golden.h"

int main(void)
{
	INPUT(unsigned, u, 0x50);
	INPUT(unsigned long, l, 1ul << 33);
	IF(__builtin_popcount(u) == 2);
	IF(__builtin_clz(u) == 25);
	IF(__builtin_ctz(u) == 4);
	IF(__builtin_popcountl(l) == 1);
	IF(__builtin_clzl(l) == 30);
	IF(__builtin_ctzl(l) == 33);
	IF(__builtin_parity(u));
	IF(__builtin_ffs((int)u) == 5);
	return 0;
}
