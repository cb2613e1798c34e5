/* distance: 1 */
// Joins the lines of files side by side, as paste(1); -d LIST gives the delimiters, with \n, \t, \\ and \0 (none).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILES = 8, EMPTY = '\0' };

static char *delimiters;
static size_t n_delimiters;

static void fail(const char *what, const char *name)
{
	fprintf(stderr, "paste: %s %s\n", what, name);
	exit(1);
}

// In place: what is left is never longer.
static void set_delimiters(const char *list)
{
	char *from = strdup(list), *to = from;
	if (!from)
		fail("no memory for", list);
	delimiters = from;
	while (*from) { /* bug: heap-buffer-overflow */
		if (*from == '\\') {
			switch (*++from) {
			case '0': *to++ = EMPTY; break;
			case 'n': *to++ = '\n'; break;
			case 't': *to++ = '\t'; break;
			default: *to++ = *from;
			}
			from++;
		} else {
			*to++ = *from++;
		}
	}
	n_delimiters = (size_t)(to - delimiters);
}

// Returns 0 at the end of the file.
static int copy_line(FILE *f)
{
	int c = getc(f);
	if (c == EOF)
		return 0;
	for (; c != '\n' && c != EOF; c = getc(f))
		putchar(c);
	return 1;
}

static int any_left(FILE **files, int n)
{
	int left = 0;
	for (int i = 0; i < n; i++) {
		int c = getc(files[i]);
		if (c != EOF) {
			ungetc(c, files[i]);
			left = 1;
		}
	}
	return left;
}

static void paste(FILE **files, int n)
{
	while (any_left(files, n)) {
		for (int i = 0; i < n; i++) {
			copy_line(files[i]);
			char d = n_delimiters ? delimiters[(size_t)i % n_delimiters] : EMPTY;
			if (i < n - 1 && d != EMPTY)
				putchar(d);
		}
		putchar('\n');
	}
}

int main(int argc, char **argv)
{
	FILE *files[FILES];
	int at = 1, n = 0;
	if (argc > 1 && strncmp(argv[1], "-d", 2) == 0) {
		set_delimiters(argv[1] + 2);
		at++;
	} else {
		set_delimiters("\\t");
	}
	for (; at < argc; at++) {
		if (n == FILES)
			fail("too many files:", argv[at]);
		files[n] = strcmp(argv[at], "-") == 0 ? stdin : fopen(argv[at], "r");
		if (!files[n++])
			fail("cannot open", argv[at]);
	}
	paste(files, n);
	for (int i = 0; i < n; i++)
		if (files[i] != stdin)
			fclose(files[i]);
	free(delimiters);
	return 0;
}
