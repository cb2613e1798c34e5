// An array of char that is used as objects, and the other way round by short.
#include "benign.h"

struct pair {
	int a;
	short b;
};
int pun_buffer(void)
{
	static char memory[64];
	struct pair *p = (struct pair *)memory;
	p->a = 0x01020304;
	p->b = 5;
	short *s = (short *)&p->a, t = s[0];
	s[0] = s[1];
	s[1] = t;
	printf("%x %d %d\n", p->a, p->b, memory[input(0)]);
	return 0;
}
