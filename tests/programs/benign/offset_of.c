// offsetof as it was written before there was one.
#include "benign.h"

struct mixed {
	char a;
	long b;
	char c[3];
	int d;
};
#define OFFSET(type, member) ((size_t)&((type *)0)->member)
int offset_of(void)
{
	struct mixed *p = null();
	printf("%zu %zu %zu\n", OFFSET(struct mixed, b), OFFSET(struct mixed, c[1]), (size_t)&p->d);
	return 0;
}
