/* clean */
// Prints chosen fields of lines: fields LIST, with LIST as in cut(1). What cut.c does wrong is right here: the bit
// vector has room for every start and end.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1000, RANGES = 8 };

struct range {
	unsigned lo, hi; // hi 0: to the end
};

static struct range ranges[RANGES];
static unsigned n_ranges;

static void fail(const char *what)
{
	fprintf(stderr, "fields: %s\n", what);
	exit(1);
}

static unsigned number(const char **s)
{
	unsigned n = 0;
	for (; **s >= '0' && **s <= '9'; (*s)++)
		if ((n = 10 * n + (unsigned)(**s - '0')) > MOST)
			fail("too large");
	return n;
}

static void parse(const char *s)
{
	do {
		struct range r = {number(&s), 0};
		if (r.lo == 0)
			fail("fields are numbered from 1");
		r.hi = r.lo;
		if (*s == '-') {
			s++;
			r.hi = number(&s);
		}
		if (r.hi && r.hi < r.lo)
			fail("decreasing range");
		if (n_ranges == RANGES)
			fail("too many ranges");
		ranges[n_ranges++] = r;
	} while (*s++ == ',');
	if (s[-1])
		fail("bad list");
}

static unsigned char *make_bits(unsigned *ret_size, unsigned *ret_open)
{
	unsigned largest = 0, open = UINT_MAX;
	for (unsigned i = 0; i < n_ranges; i++) {
		unsigned end = ranges[i].hi ? ranges[i].hi : ranges[i].lo;
		if (end > largest)
			largest = end;
		if (!ranges[i].hi && ranges[i].lo < open)
			open = ranges[i].lo;
	}
	unsigned char *bits = calloc(largest / CHAR_BIT + 1, 1);
	if (!bits)
		fail("out of memory");
	for (unsigned i = 0; i < n_ranges; i++)
		for (unsigned k = ranges[i].lo; k <= ranges[i].hi; k++)
			bits[k / CHAR_BIT] |= (unsigned char)(1u << (k % CHAR_BIT));
	*ret_size = largest;
	*ret_open = open;
	return bits;
}

static void print(char *line, const unsigned char *bits, unsigned size, unsigned open)
{
	unsigned k = 0;
	const char *before = "";
	for (char *word = strtok(line, " \n"); word; word = strtok(NULL, " \n")) {
		k++;
		if (k >= open || (k <= size && (bits[k / CHAR_BIT] >> (k % CHAR_BIT) & 1))) {
			printf("%s%s", before, word);
			before = " ";
		}
	}
	putchar('\n');
}

int main(int argc, char **argv)
{
	char line[200];
	unsigned size, open;
	if (argc != 2)
		fail("usage: fields LIST");
	parse(argv[1]);
	unsigned char *bits = make_bits(&size, &open);
	while (fgets(line, sizeof line, stdin))
		print(line, bits, size, open);
	free(bits);
	return 0;
}
