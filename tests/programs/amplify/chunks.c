/* distance: 0 */
// Lists the chunks of a file: a letter, a size, as many bytes. A title has room of its own.
#include <stdio.h>

static int list(FILE *f)
{
	char title[24];
	int kind, size;
	while ((kind = fgetc(f)) != EOF && (size = fgetc(f)) != EOF) {
		if (kind == 't') {
			size_t n = fread(title, 1, (size_t)size, f); /* bug: stack-buffer-overflow */
			printf("title of %zu bytes: %.*s\n", n, (int)n, title);
		} else {
			printf("%c: %d bytes\n", kind, size);
			fseek(f, size, SEEK_CUR);
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
	if (!f) {
		fprintf(stderr, "usage: chunks FILE\n");
		return 2;
	}
	return list(f);
}
