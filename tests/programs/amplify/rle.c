/* distance: 0 */
// Run-length encoding, from standard input to standard output: -e encodes (a byte for how often, then the byte), -d
// decodes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 300, FULL = 128 };

static void encode(void)
{
	int last = getchar();
	while (last != EOF) {
		int n = 1, c;
		while ((c = getchar()) == last && n < FULL)
			n++;
		putchar(n);
		putchar(last);
		last = c;
	}
}

static void flush(const char *out, size_t *n)
{
	fwrite(out, 1, *n, stdout);
	*n = 0;
}

// Runs are never longer than FULL, so that there is room for one when the buffer is not half full.
static int decode(void)
{
	char *out = malloc(ROOM);
	size_t n = 0;
	int count, c, status = 0;
	if (!out)
		return 1;
	while ((count = getchar()) != EOF) {
		if ((c = getchar()) == EOF) {
			fprintf(stderr, "rle: cut off\n");
			status = 1;
			break;
		}
		memset(out + n, c, (size_t)count); /* bug: heap-buffer-overflow */
		n += (size_t)count;
		if (n > ROOM - FULL)
			flush(out, &n);
	}
	flush(out, &n);
	free(out);
	return status;
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "-d") == 0)
		return decode();
	if (argc == 2 && strcmp(argv[1], "-e") == 0) {
		encode();
		return 0;
	}
	fprintf(stderr, "usage: rle -e|-d\n");
	return 2;
}
