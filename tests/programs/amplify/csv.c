/* distance: 1 */
// Prints a column of comma-separated lines: csv COLUMN <FILE. Fields may be quoted.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 6 };

// Cuts the line into fields; returns their number, at most FIELDS.
static int split(char *line, char **fields)
{
	int n = 0;
	char *p = line;
	for (;;) {
		char *to = p;
		fields[n++] = p; /* bug: stack-buffer-overflow */
		if (*p == '"') {
			for (p++; *p && *p != '"'; p++)
				*to++ = *p;
			if (*p)
				p++;
		}
		while (*p && *p != ',')
			*to++ = *p++;
		int more = *p == ',';
		*to = 0;
		if (!more || n > FIELDS)
			return n;
		p++;
	}
}

int main(int argc, char **argv)
{
	char line[128], *fields[FIELDS];
	int column = argc == 2 ? atoi(argv[1]) : 0;
	if (column < 1 || column > FIELDS) {
		fprintf(stderr, "usage: csv COLUMN\n");
		return 2;
	}
	while (fgets(line, sizeof line, stdin)) {
		line[strcspn(line, "\n")] = 0;
		int n = split(line, fields);
		puts(column <= n ? fields[column - 1] : "");
	}
	return 0;
}
