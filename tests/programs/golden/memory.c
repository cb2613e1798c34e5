// load and store: bytes of a value, values of bytes, members, statics, volatile
#include "golden.h"

static int global;
static _Thread_local int local;
struct pair {
	short x, y;
};
union view {
	float f;
	unsigned u;
	unsigned char b[4];
};

int main(void)
{
	INPUT(unsigned, u, 0x01020304);
	unsigned char *bytes = (unsigned char *)&u;
	IF(bytes[1] == 3);
	IF(((struct pair *)&u)->y == 0x0102);
	bytes[0] = 9; // the rest keeps its labels
	IF(u == 0x01020309);
	bytes[2] = bytes[3];
	IF(u == 0x01010309);
	global = (int)u;
	IF(global == 1);
	local = (int)u;
	IF(local == 1);
	volatile short half = (short)u;
	IF(half == 0x0309);
	global = 5; // no label is left
	IF(global == 5);
	union view v = {.u = u};
	IF(v.b[3] == 1);
	IF(v.f > 1.0f);
	return 0;
}
