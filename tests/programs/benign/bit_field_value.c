#include "benign.h"

struct bits {
	signed a : 3;
	unsigned b : 5;
	int c : 24;
};
int bit_field_value(void)
{
	struct bits x;
	x.a = 7 + input(0);
	x.b = 33 + (unsigned)input(0);
	x.c = 0x7fffffff;
	x.a++;
	printf("%d %u %d\n", x.a, x.b, x.c);
	return 0;
}
