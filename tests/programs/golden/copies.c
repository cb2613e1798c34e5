// memcpy, memmove, memset: intrinsics, structures, labelled lengths and bytes
#include <string.h>

#include "golden.h"

struct block {
	char bytes[12];
};

static char global[8];

int main(void)
{
	INPUT(unsigned char, c, 'x');
	INPUT(unsigned char, n, 3);
	struct block a = {"abcdefghijk"}, b;
	a.bytes[2] = (char)c;
	memcpy(&b, &a, sizeof b);
	IF(b.bytes[2] == 'x');
	IF(b.bytes[3] == 'd');
	memmove(b.bytes + 1, b.bytes, 8);
	IF(b.bytes[3] == 'x');
	b = a;
	IF(b.bytes[2] == 'x');
	memset(&b, c, 4);
	IF(b.bytes[3] == 'x');
	IF(b.bytes[4] == 'e');
	memset(&b, 0, sizeof b);
	IF(b.bytes[3] == 0);
	memcpy(&b, &a, n); // the length is made concrete; before that, it must fit into both
	IF(b.bytes[2] == 'x');
	memset(b.bytes + 4, 0, n);
	struct block row[4] = {{"first"}, {"second"}};
	row[n] = a; // and so is a place
	b = row[n];
	IF(b.bytes[2] == 'x');
	memcpy(global + 2, b.bytes, n);
	__builtin_memcpy_inline(&b, &a, 4);
	IF(b.bytes[2] == 'x');
	__builtin_memset_inline(&b, c, 4);
	IF(b.bytes[2] == 'x');
	return 0;
}
