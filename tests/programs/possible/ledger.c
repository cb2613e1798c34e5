// Errors behind functions: one that a whole run can be led to, one that every caller excludes, and such as only
// made-up state has.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tag {
	int number;
};

struct entry {
	int kind, count;
	const char *name;
	struct tag *tag;
};

static int rate = 7;

// Reachable: the caller lets count be 0 when kind is 'q'. A search needs the check sum to get here.
static int share(const struct entry *e, int total)
{
	if (e->kind == 'q')
		return total / e->count;
	return total;
}

// Every caller passes 1 to 9.
static int level(int n)
{
	if (n > 100)
		return 3;
	return rate / n;
}

// Nobody in this program calls it.
int unused(const struct entry *e, int n)
{
	if (e->kind == n && e->tag && e->tag->number == 5)
		return 1000 / (n - e->kind);
	return 0;
}

// Undefined for large numbers only, which nothing excludes.
int scaled(int n)
{
	return n * 1000;
}

// Only when both point to the same number.
int apart(int *a, int *b)
{
	*a = 2;
	*b = 0;
	if (*a == 2)
		return 0;
	return 10 / *a;
}

static int limit;

// Only when the numbers are a single one: a variable of that type.
int third(const int *numbers)
{
	if (numbers != &limit)
		return 0;
	return numbers[2];
}

static __attribute__((noinline)) int one(int x)
{
	return x == x;
}

// Only when the callee returns what it never does.
int trusting(int x)
{
	if (one(x) != 7)
		return 0;
	return 10 / (one(x + 1) - 7);
}

static unsigned sum(const char *s, size_t n)
{
	unsigned h = 5381;
	for (size_t i = 0; i < n; i++)
		h = h * 33 + (unsigned char)s[i];
	return h;
}

int main(int argc, char **argv)
{
	char line[8] = "";
	struct entry e = {0};
	size_t n = fread(line, 1, sizeof line, stdin);
	limit = argc, (void)argv;
	if (n < 6)
		return 1;
	if (sum(line, 4) % 8 != 3) {
		printf("%d\n", level(1 + (line[5] & 7)));
		return 2;
	}
	e.kind = line[4];
	e.count = line[5] - '0';
	if (e.kind != 'q' && !e.count)
		return 3;
	printf("%d %d\n", share(&e, 100), level(2 + (line[5] & 7)));
	return 0;
}
