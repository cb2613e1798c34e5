// args: 3
// unchanged
#include <stdio.h>

struct point {
#ifdef NEW
	const char *label;
	int y, x;
#else
	int x, y;
	const char *label;
#endif
};

static int norm(const struct point *p)
{
	return p->x * p->x + p->y * p->y;
}

int main(int argc, char **argv)
{
	struct point p = {.x = 3, .y = argc > 1 ? argv[1][0] : 4, .label = "p"};
	printf("%s %d\n", p.label, norm(&p));
	return 0;
}
