// 128 bits
#include "golden.h"

typedef unsigned __int128 u128;

__attribute__((noinline)) static u128 same(u128 x)
{
	return x;
}

int main(void)
{
	INPUT(unsigned long, l, 1ul << 40);
	INPUT(unsigned char, n, 65);
	u128 x = l;
	IF(x << 40 == (u128)1 << 80);
	IF(same(x) == 7);
	IF((x * x) / 3 > x);
	IF((x * x) % 1000 == 776);
	IF((__int128)-x < 0);
	IF((unsigned long)((x * x) >> n) == 1ul << 15);
	IF(x * x == ((u128)5 << 64 | 3));
	IF((double)x > 1e12);
	switch (x * x) {
	case 5: taken = 5; break;
	case (u128)1 << 80: taken = 6; break;
	}
	return 0;
}
