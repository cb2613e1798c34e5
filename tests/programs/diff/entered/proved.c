// Small functions, written otherwise: the solver proves that both versions are the same.
#include <stdio.h>

struct box {
	int width, height;
	unsigned char kind;
	struct box *next;
};

int clamp(int value, int low, int high)
{
#ifdef NEW
	return value < low ? low : value > high ? high : value;
#else
	if (value > high && value >= low)
		return high;
	if (value < low)
		return low;
	return value;
#endif
}

void turn(struct box *b, int by)
{
#ifdef NEW
	int old = b->width;
	b->width = b->height + by * 2;
	b->height = old;
	if (b->kind == 7)
		b->kind = 8;
#else
	int old = b->height;
	b->height = b->width;
	b->width = old + (by << 1);
	b->kind += b->kind == 7;
#endif
}

int main(int argc, char **argv)
{
	struct box b = {1, 2, 3, NULL};
	(void)argv;
	turn(&b, argc);
	printf("%d\n", clamp(argc, 0, 10) + b.width);
	return 0;
}
