// A small program whose whole runs reach little: a checksum stands before most of it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
	int count;
	struct item *next;
	char name[8];
};

static int limit = 10;

// Too much for a solver.
static unsigned checksum(const char *s)
{
	unsigned long h = 5381;
	for (; *s; s++)
		for (int i = 0; i < 32; i++) {
			h = (h ^ (unsigned char)*s) * 0x9e3779b97f4a7c15u;
			h ^= h >> 31 ^ h % 1000003;
		}
	return (unsigned)(h >> 16);
}

// Nobody calls it.
int average(int total, int n)
{
	return total / n;
}

static int total(const struct item *i)
{
	int n = 0;
	if (!i)
		return 0;
	if (i->count > limit)
		n = limit;
	else if (i->count > 0)
		n = i->count;
	if (i->next && i->next != i)
		n ^= 1;
	return n;
}

int find(const struct item *i, const char *name)
{
	if (!i || !name)
		return -1;
	if (strcmp(i->name, name) == 0)
		return 1;
	return 0;
}

// Nobody knows a text with this checksum; a stub returns it.
int accept(const char *text, const struct item *i)
{
	if (checksum(text) != 0x1badf00d)
		return -1;
	if (total(i) == 7)
		return find(i, text);
	return 0;
}

int main(int argc, char **argv)
{
	struct item one = {argc, NULL, "one"};
	printf("%d\n", argc > 1 ? accept(argv[1], &one) : 0);
	return 0;
}
