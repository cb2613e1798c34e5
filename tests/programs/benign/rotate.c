// The classic: by 0 the other shift is by the whole width.
#include "benign.h"

static unsigned turn(unsigned x, int n)
{
	return x << n | x >> (32 - n);
}
int rotate(void)
{
	printf("%x %x %x\n", turn(0x12345678, input(0)), turn(0x12345678, input(4)), turn(0x12345678, input(8)));
	return 0;
}
