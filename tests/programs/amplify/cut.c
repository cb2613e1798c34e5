/* distance: 0 */
// Prints chosen characters of each line, as cut(1): ranges are kept in a bit vector, except for one that goes on to the
// end of the line, of which only the start is kept.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct range {
	size_t lo, hi;
};

static struct range ranges[32];
static size_t n_ranges;
static size_t open_start; // of "N-"; 0: there is none
static size_t max_end;
static unsigned char *chosen; // a bit for each position up to max_end
static const char *delimiter;

static void fail(const char *what)
{
	fprintf(stderr, "cut: %s\n", what);
	exit(1);
}

static size_t number(const char **s)
{
	size_t n = 0;
	while (**s >= '0' && **s <= '9') {
		if (n > 9999)
			fail("position too large");
		n = 10 * n + (size_t)(*(*s)++ - '0');
	}
	return n;
}

static void add(size_t lo, size_t hi)
{
	if (lo == 0 || hi < lo)
		fail("invalid range");
	if (n_ranges == sizeof ranges / sizeof *ranges)
		fail("too many ranges");
	ranges[n_ranges++] = (struct range){lo, hi};
	if (hi > max_end)
		max_end = hi;
}

static void parse(const char *s)
{
	while (*s) {
		size_t lo = number(&s), hi = lo;
		if (*s == '-') {
			s++;
			if (*s >= '0' && *s <= '9') {
				hi = number(&s);
				add(lo ? lo : 1, hi);
			} else if (lo == 0) {
				fail("range with no ends");
			} else if (open_start == 0 || lo < open_start) {
				open_start = lo;
			}
		} else {
			add(lo, hi);
		}
		if (*s == ',' && s[1])
			s++;
		else if (*s)
			fail("invalid list");
	}
}

static int is_chosen(size_t i)
{
	if (open_start && i >= open_start)
		return 1;
	return i <= max_end && (chosen[i / CHAR_BIT] >> (i % CHAR_BIT) & 1);
}

static void mark(void)
{
	chosen = calloc(max_end / CHAR_BIT + 1, 1);
	if (!chosen)
		fail("out of memory");
	for (size_t k = 0; k < n_ranges; k++)
		for (size_t i = ranges[k].lo; i <= ranges[k].hi; i++)
			chosen[i / CHAR_BIT] |= (unsigned char)(1u << (i % CHAR_BIT));
}

// With a delimiter it matters whether the open range continues one that ends there, or starts a new one.
static int starts_alone(void)
{
	size_t i = open_start;
	return i && !(chosen[i / CHAR_BIT] >> (i % CHAR_BIT) & 1); /* bug: heap-buffer-overflow */
}

static void print(const char *line, size_t size, int alone)
{
	int before = 1, any = 0;
	for (size_t i = 1; i <= size; i++) {
		int now = is_chosen(i);
		if (now && delimiter && any && (!before || (alone && i == open_start)))
			fputs(delimiter, stdout);
		if (now) {
			putchar(line[i - 1]);
			any = 1;
		}
		before = now;
	}
	putchar('\n');
}

int main(int argc, char **argv)
{
	char line[256];
	if (argc < 3 || strncmp(argv[1], "-c", 2) != 0)
		fail("usage: cut -cLIST [--output-d=STRING] FILE");
	parse(argv[1] + 2);
	if (!n_ranges && !open_start)
		fail("no positions");
	if (argc > 3 && strncmp(argv[2], "--output-d=", 11) == 0)
		delimiter = argv[2] + 11;
	mark();
	int alone = delimiter ? starts_alone() : 0;
	FILE *in = fopen(argv[argc - 1], "r");
	if (!in)
		fail("cannot open the file");
	while (fgets(line, sizeof line, in))
		print(line, strcspn(line, "\n"), alone);
	fclose(in);
	free(chosen);
	return 0;
}
