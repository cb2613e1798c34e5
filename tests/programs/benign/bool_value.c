// A _Bool that is made of a byte by memcpy, and of uninitialised memory, is tested, not shown.
#include "benign.h"
#include <stdbool.h>
#include <string.h>
struct flags {
	bool a, b;
	int n;
};
int bool_value(void)
{
	struct flags f = {0};
	unsigned char one = 1 + (unsigned char)input(2);
	memcpy(&f.a, &one, 1);
	int n = 0;
	switch (f.a) {
	case 0: n = 1; break;
	case 1: n = 2; break;
	default: n = 3;
	}
	printf("%d %d\n", f.a, n);
	return 0;
}
