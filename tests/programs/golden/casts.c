// trunc, zext, sext, to and from pointers and truth values
#include <stdint.h>

#include "golden.h"

int main(void)
{
	INPUT(int, a, -5);
	INPUT(unsigned char, c, 200);
	INPUT(long, l, 0x100000007);
	IF((long)a == -5);
	IF((unsigned long)(unsigned)a == 0xfffffffb);
	IF((signed char)c == -56);
	IF((short)(signed char)c == -56);
	IF((int)l == 7);
	IF((char)l == 7);
	IF((_Bool)a);
	IF((_Bool)l == 1);
	IF(!!c + 1 == 2);
	char *p = (char *)(uintptr_t)c;
	IF(p == (char *)200);
	IF((uintptr_t)p == 200);
	IF((unsigned char)(uintptr_t)p == 200);
	IF(!p);
	return 0;
}
