// From one member on into the next.
#include "benign.h"

struct colour {
	unsigned char r, g, b, a;
};
struct run {
	int first[2], second[2];
};
int next_member(void)
{
	struct colour c = {1, 2, 3, 4};
	struct run r = {{1, 2}, {3, 4}};
	unsigned char *p = &c.r;
	int s = 0, *q = r.first;
	for (int i = 0; i < 4; i++)
		s = s * 10 + p[i] + q[i];
	q[2] = 9;
	printf("%d %d\n", s, r.second[0]);
	return 0;
}
