// A small stock list, of which tests/e2e/changes.sh makes versions.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
	int count;
	int price;
	const char *name;
};

typedef int command(struct item *items, int n);

static int limit = 100;
static const char *const units[] = {"piece", "box"};

static int clamp(int value)
{
	if (value > limit)
		return limit;
	return value < 0 ? 0 : value;
}

static int total(struct item *items, int n)
{
	int sum = 0;
	assert(n >= 0);
	for (int i = 0; i < n; i++)
		sum += items[i].count * items[i].price;
	return clamp(sum);
}

static int count(struct item *items, int n)
{
	static int asked;
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += items[i].count;
	asked++;
	return sum + asked;
}

static command *const commands[] = {total, count};

static void usage(void)
{
	fprintf(stderr, "usage: stock NUMBER\n");
	exit(2);
}

int main(int argc, char **argv)
{
	struct item items[2] = {{1, 20, "pen"}, {3, 4, "cup"}}, copy;
	if (argc != 2)
		usage();
	copy = items[0];
	items[1] = copy;
	int which = atoi(argv[1]);
	if (which < 0 || which > 1)
		usage();
	printf("%d %s\n", commands[which](items, 2), units[which]);
	return 0;
}
