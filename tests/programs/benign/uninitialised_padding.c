// Padding that is hashed or compared: what was set by memset is there.
#include "benign.h"
#include <string.h>
struct padded {
	char c;
	int i;
	short s;
};
int uninitialised_padding(void)
{
	struct padded a, b;
	memset(&a, 0, sizeof a);
	memset(&b, 0, sizeof b);
	a.c = b.c = 'x';
	a.i = b.i = input(5);
	a.s = b.s = 2;
	printf("%d\n", memcmp(&a, &b, sizeof a));
	return 0;
}
