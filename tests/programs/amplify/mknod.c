/* distance: 3 */
// From the letter of an option to the next access there are the branches of getopt.
// Says what a device node would be made: mknod [-m MODE] [-Z CONTEXT] NAME TYPE [MAJOR MINOR].
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void fail(const char *what, const char *value)
{
	fprintf(stderr, "mknod: %s '%s'\n", what, value);
	exit(1);
}

static unsigned number(const char *s, int base, unsigned long most)
{
	char *end;
	unsigned long n = strtoul(s, &end, base);
	if (end == s || *end || n > most)
		fail("invalid number", s);
	return (unsigned)n;
}

// user:role:type, as SELinux has them
static void check_context(const char *context)
{
	const char *p = context;
	int colons = 0;
	for (; *p; p++) /* bug: segv */
		if (*p == ':')
			colons++;
	if (colons < 2 || p[-1] == ':')
		fail("invalid context", context);
}

static void print_node(char **argv, int n, unsigned mode)
{
	const char *name = argv[0], *type = argv[1];
	if (type[0] == 'p') {
		if (n != 2)
			fail("fifos have no device numbers:", name);
		printf("%s: fifo, mode %04o\n", name, mode);
		return;
	}
	if (!type[0] || !strchr("bcu", type[0]))
		fail("unknown type", type);
	if (n != 4)
		fail("major and minor are needed for", name);
	printf("%s: %s device %u,%u, mode %04o\n", name, type[0] == 'b' ? "block" : "character",
	       number(argv[2], 0, 0xfff), number(argv[3], 0, 0xfffff), mode);
}

int main(int argc, char **argv)
{
	unsigned mode = 0666;
	int option, has_context = 0;
	const char *context = NULL;
	opterr = 0;
	while ((option = getopt(argc, argv, "m:Zv")) != -1) {
		switch (option) {
		case 'm': mode = number(optarg, 8, 07777); break;
		case 'Z':
			has_context = 1;
			context = optarg;
			break;
		case 'v': puts("mknod 1.0"); return 0;
		default: fail("usage: mknod [-m MODE] [-Z CONTEXT] NAME TYPE [MAJOR MINOR]; unknown option", "");
		}
	}
	if (has_context)
		check_context(context);
	if (argc - optind < 2 || argc - optind > 4)
		fail("wrong number of arguments for", "mknod");
	print_node(argv + optind, argc - optind, mode);
	return 0;
}
