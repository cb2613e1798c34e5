// args: 3x4
// function: area
// Members changed places, and one function names another one: its code is the same byte for byte.
#include <stdio.h>
#include <stdlib.h>

struct box {
#ifdef NEW
	int depth, width, height;
#else
	int height, width, depth;
#endif
};

static int parse(const char *p, struct box *b)
{
	char *end;
	b->width = (int)strtol(p, &end, 10);
	b->depth = 1;
	b->height = 1;
	if (end == p || b->width < 0)
		return -1;
	if (*end == 'x') {
		p = end + 1;
		b->height = (int)strtol(p, &end, 10);
		if (end == p || b->height < 0)
			return -1;
	}
	return *end ? -1 : 0;
}

static int area(const struct box *b)
{
#ifdef NEW
	int second = b->depth;
#else
	int second = b->height;
#endif
	return b->width % 1000 * (second % 1000);
}

int main(int argc, char **argv)
{
	struct box b;
	if (argc < 2 || parse(argv[1], &b) < 0) {
		puts("WIDTH or WIDTHxHEIGHT");
		return 2;
	}
	printf("%d\n", area(&b));
	return 0;
}
