/* distance: 3 */
// Behind the kind of a member come the branches on its size; the next computed address is in the next member.
// Lists an archive from standard input: for each member a header of 16 bytes (name of 12, kind, two digits of size in
// octal, a newline), then its content.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 12 };

struct member {
	char name[NAME], kind, size[2], newline;
};

static void fail(const char *what)
{
	fprintf(stderr, "archive: %s\n", what);
	exit(1);
}

static unsigned octal(const char *digits, int n)
{
	unsigned v = 0;
	for (int i = 0; i < n; i++) {
		if (digits[i] < '0' || digits[i] > '7')
			fail("bad size");
		v = 8 * v + (unsigned)(digits[i] - '0');
	}
	return v;
}

// Kinds that are not known were refused before.
static const char *kind_name(char kind)
{
	switch (kind) {
	case 'f': return "file";
	case 'd': return "folder";
	case 's': return "link";
	}
	abort(); /* bug: abort */
}

static int is_known(char kind)
{
	return kind && strchr("fdsx", kind) != NULL;
}

static void list(const struct member *m)
{
	char name[NAME + 1];
	memcpy(name, m->name, NAME);
	name[NAME] = 0;
	for (int i = NAME; i > 0 && name[i - 1] == ' '; i--)
		name[i - 1] = 0;
	if (m->newline != '\n' || !is_known(m->kind))
		fail("bad header");
	unsigned size = octal(m->size, 2);
	printf("%-6s %2u %s\n", kind_name(m->kind), size, name);
	while (size--)
		if (getchar() == EOF)
			fail("cut off");
}

int main(void)
{
	struct member m;
	size_t n;
	while ((n = fread(&m, 1, sizeof m, stdin)) == sizeof m)
		list(&m);
	if (n)
		fail("cut off");
	return 0;
}
