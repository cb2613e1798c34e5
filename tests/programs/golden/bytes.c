// byte swaps, reversed bits, rotates
#include "golden.h"

int main(void)
{
	INPUT(unsigned short, s, 0x1234);
	INPUT(unsigned, u, 0x12345678);
	INPUT(unsigned char, c, 1);
	IF(__builtin_bswap16(s) == 0x3412);
	IF(__builtin_bswap32(u) == 0x78563412);
	IF(__builtin_bitreverse8(c) == 0x80);
	IF(__builtin_rotateleft32(u, 8) == 0x34567812);
	IF(__builtin_rotateright32(u, c) == 0x091a2b3c);
	IF(__builtin_rotateleft8(c, c) == 2);
	IF((u << 4 | u >> 28) == 0x23456781);
	return 0;
}
