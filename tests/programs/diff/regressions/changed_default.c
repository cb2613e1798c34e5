// function: options_init
// Wraps standard input at a width: fold [-w WIDTH] [-c CHAR].
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
	int width, tab;
	char fill;
};

static void options_init(struct options *o)
{
	memset(o, 0, sizeof *o);
#ifdef NEW
	o->width = 10;
	o->tab = 4;
#else
	o->width = 12;
	o->tab = 4;
#endif
	o->fill = '\n';
}

static int options_parse(struct options *o, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "-w") == 0 && i + 1 < argc)
			o->width = atoi(argv[++i]);
		else if (strcmp(argv[i], "-c") == 0 && i + 1 < argc)
			o->fill = argv[++i][0];
		else if (argv[i][0] == '-')
			return -1;
	}
	return o->width > 0 ? 0 : -1;
}

static void fold(const struct options *o, FILE *in)
{
	int c, column = 0;
	while ((c = getc(in)) != EOF) {
		if (c == '\n') {
			column = 0;
			putchar(c);
			continue;
		}
		column += c == '\t' ? o->tab - column % o->tab : 1;
		if (column > o->width) {
			putchar(o->fill);
			column = 1;
		}
		putchar(c);
	}
}

int main(int argc, char **argv)
{
	struct options o;
	options_init(&o);
	if (options_parse(&o, argc, argv) < 0)
		return 2;
	fold(&o, stdin);
	return 0;
}
