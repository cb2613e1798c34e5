/* distance: 1 */
// Prints each line of a file with its number and the number of its characters; what is longer than WIDTH characters is
// cut, with a mark.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 12 };

static unsigned number;

static void print(const char *line, size_t length)
{
	printf("%3u %2zu %s%s\n", ++number, length, line, length > WIDTH ? "..." : "");
}

// Returns 0 at the end of the file.
static int one_line(FILE *f)
{
	char line[WIDTH];
	size_t length = 0;
	int c = getc(f);
	if (c == EOF)
		return 0;
	for (; c != '\n' && c != EOF; c = getc(f)) {
		if (length < WIDTH)
			line[length] = (char)c;
		length++;
	}
	line[length < WIDTH ? length : WIDTH] = 0; /* bug: stack-buffer-overflow */
	print(line, length);
	return 1;
}

int main(int argc, char **argv)
{
	FILE *f = argc > 1 ? fopen(argv[1], "r") : stdin;
	if (!f) {
		perror(argv[1]);
		return 1;
	}
	while (one_line(f))
		;
	if (f != stdin)
		fclose(f);
	return 0;
}
