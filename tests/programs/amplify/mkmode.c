/* distance: 1 */
// Applies a symbolic mode to an octal one, as `mkdir -m u=rwx,go-w` does: mkmode OCTAL MODE. First the changes are
// counted, then each is compiled, then all are applied.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct change {
	char op;
	unsigned who, bits;
};

static void fail(const char *mode)
{
	fprintf(stderr, "mkmode: invalid mode %s\n", mode);
	exit(1);
}

static size_t count(const char *s)
{
	size_t n = 1;
	for (; *s; s++)
		if (*s == ',')
			n++;
	return n;
}

static unsigned parse_who(const char **s)
{
	unsigned who = 0;
	for (;; (*s)++)
		switch (**s) {
		case 'u': who |= 0700; break;
		case 'g': who |= 0070; break;
		case 'o': who |= 0007; break;
		case 'a': who |= 0777; break;
		default: return who ? who : 0777;
		}
}

static unsigned parse_bits(const char **s)
{
	unsigned bits = 0;
	for (;; (*s)++)
		switch (**s) {
		case 'r': bits |= 0444; break;
		case 'w': bits |= 0222; break;
		case 'x': bits |= 0111; break;
		default: return bits;
		}
}

// As POSIX has it, several operators may follow one list of users: u=r+w.
static size_t compile(const char *mode, struct change *changes)
{
	size_t n = 0;
	for (const char *s = mode;; s++) {
		unsigned who = parse_who(&s);
		if (*s != '=' && *s != '+' && *s != '-')
			fail(mode);
		while (*s == '=' || *s == '+' || *s == '-') {
			char op = *s++;
			changes[n++] = (struct change){op, who, parse_bits(&s)}; /* bug: heap-buffer-overflow */
		}
		if (*s != ',') {
			if (*s)
				fail(mode);
			return n;
		}
	}
}

static unsigned apply(unsigned mode, const struct change *c)
{
	unsigned bits = c->who & c->bits;
	switch (c->op) {
	case '=': return (mode & ~c->who) | bits;
	case '+': return mode | bits;
	default: return mode & ~bits;
	}
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: mkmode OCTAL MODE\n");
		return 2;
	}
	char *end;
	unsigned long mode = strtoul(argv[1], &end, 8);
	if (*end || mode > 0777)
		fail(argv[1]);
	struct change *changes = malloc(count(argv[2]) * sizeof *changes);
	if (!changes)
		return 2;
	size_t n = compile(argv[2], changes);
	for (size_t i = 0; i < n; i++)
		mode = apply((unsigned)mode, &changes[i]);
	printf("%04lo\n", mode);
	free(changes);
	return 0;
}
