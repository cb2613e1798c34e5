// Another unit beside sample.c: it knows less of some types, and has other ones of the same name.
#include <stddef.h>

typedef struct {
	int x, y, z;
} point;
struct list;
struct tree {
	struct forest *of;
	struct tree *left, *right;
};

int elsewhere = 3;
int walk(struct list *l, const unsigned char *bytes, size_t n, ...);

static int once(point p)
{
	return p.x + p.z;
}

int start(struct list *l, struct tree *t)
{
	point p = {1, 2, 3};
	return walk(l, NULL, 0) + once(p) + (t->left == t);
}
