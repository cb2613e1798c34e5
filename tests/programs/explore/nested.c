// Structures in structures, a union, pointers between them.
// domain: objects 4 \0\1\2\3\4\5\6\7\10\20\30\40
// paths: 7
#include <klee/klee.h>

struct point {
	signed char x, y;
};
struct shape {
	unsigned char kind;
	union {
		struct point at;
		unsigned char size;
	} u;
	struct shape *inside;
};

static int weigh(const struct shape *s)
{
	if (!s)
		return 0; /* unreachable */
	switch (s->kind) {
	case 1: return 1 + weigh(s->inside);
	case 2:
		if (s->u.at.x == s->u.at.y)
			return 10;
		return 11;
	case 3:
		if (s->u.size > 16)
			return 20;
		return 21;
	default: return 30;
	}
}

int main(void)
{
	struct shape inner = {.kind = 3}, outer = {.inside = &inner};
	unsigned char in[4];
	klee_make_symbolic(in, sizeof in, "in");
	outer.kind = in[0];
	outer.u.at.x = (signed char)in[1];
	outer.u.at.y = (signed char)in[2];
	inner.u.size = in[3];
	int w = weigh(&outer);
	return w == 21;
}
