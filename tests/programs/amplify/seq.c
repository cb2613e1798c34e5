/* distance: 1 */
// Prints numbers from FIRST to LAST, as seq(1); -f FORMAT has one directive %g, %f or %e, and "%%" for a percent sign.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *what)
{
	fprintf(stderr, "seq: %s\n", what);
	exit(1);
}

static size_t digits(const char *s)
{
	size_t n = strspn(s, "0123456789");
	if (n > 2)
		fail("too wide");
	return n;
}

// Makes sure that there is exactly one directive, of a kind that takes a double.
static void check(const char *f)
{
	size_t i = 0;
	while (!(f[i] == '%' && f[i + 1] != '%')) {
		if (!f[i])
			fail("no directive in the format");
		i += f[i] == '%' ? 2 : 1;
	}
	i++;
	i += strspn(f + i, "-+#0 ");
	i += digits(f + i);
	if (f[i] == '.') {
		i++;
		i += digits(f + i);
	}
	if (!f[i] || !strchr("efgEFG", f[i]))
		fail("unknown directive");
	for (i++; f[i]; i += f[i] == '%' ? 2 : 1) /* bug: heap-buffer-overflow */
		if (f[i] == '%' && f[i + 1] && f[i + 1] != '%')
			fail("too many directives");
}

// A copy without quotes around it, as some shells leave them.
static char *take_format(const char *s)
{
	size_t n = strlen(s);
	if (n >= 2 && s[0] == '"' && s[n - 1] == '"') {
		s++;
		n -= 2;
	}
	char *copy = malloc(n + 1);
	if (!copy)
		fail("out of memory");
	memcpy(copy, s, n);
	copy[n] = 0;
	return copy;
}

static double number(const char *s)
{
	char *end;
	double d = strtod(s, &end);
	if (end == s || *end || d != d || d > 1e6 || d < -1e6)
		fail("not a number");
	return d;
}

int main(int argc, char **argv)
{
	char *format = NULL;
	int at = 1;
	if (argc > 2 && strcmp(argv[1], "-f") == 0) {
		format = take_format(argv[2]);
		check(format);
		at = 3;
	}
	if (argc - at < 1 || argc - at > 2)
		fail("usage: seq [-f FORMAT] [FIRST] LAST");
	double first = argc - at == 2 ? number(argv[at++]) : 1, last = number(argv[at]);
	if (last - first > 1000)
		fail("too many");
	for (double d = first; d <= last; d++) {
		printf(format ? format : "%g", d);
		putchar('\n');
	}
	free(format);
	return 0;
}
