/* distance: 1 */
/* argument: the byte behind an argument's end is the next argument's, or the environment's; only veer's judge has
 * bounds there */
// printf(1) with %d, %x, %c and %s. A number may be a quote and a character, for its code.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int status;

static void not_a_number(const char *s)
{
	fprintf(stderr, "printf: %s: not completely converted\n", s);
	status = 1;
}

static long to_number(const char *s)
{
	char *end;
	if (*s == '"' || *s == '\'') {
		long code = (unsigned char)*++s;
		if (*++s) /* bug: heap-buffer-overflow */
			not_a_number(s);
		return code;
	}
	long value = strtol(s, &end, 0);
	if (*end)
		not_a_number(s);
	return value;
}

// Returns what comes behind the escape.
static const char *escape(const char *s)
{
	switch (*s) {
	case 'n': putchar('\n'); break;
	case 't': putchar('\t'); break;
	case '\\': putchar('\\'); break;
	case 0: putchar('\\'); return s;
	default: printf("\\%c", *s);
	}
	return s + 1;
}

static void directive(char conversion, const char *argument)
{
	switch (conversion) {
	case 'd': printf("%ld", argument ? to_number(argument) : 0); break;
	case 'x': printf("%lx", argument ? (unsigned long)to_number(argument) : 0); break;
	case 'c':
		if (argument && *argument)
			putchar(*argument);
		break;
	case 's': fputs(argument ? argument : "", stdout); break;
	default: fprintf(stderr, "printf: invalid conversion\n"); exit(1);
	}
}

// Returns the number of arguments used.
static int format(const char *f, char **argv, int n)
{
	int used = 0;
	while (*f) {
		if (*f == '\\') {
			f = escape(f + 1);
		} else if (*f != '%') {
			putchar(*f++);
		} else if (f[1] == '%') {
			putchar('%');
			f += 2;
		} else {
			directive(f[1], used < n ? argv[used] : NULL);
			used += used < n;
			f += 2;
		}
	}
	return used;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: printf FORMAT [ARGUMENT]...\n");
		return 1;
	}
	int at = 2, used;
	do {
		used = format(argv[1], argv + at, argc - at);
		at += used;
	} while (used && at < argc);
	return status;
}
