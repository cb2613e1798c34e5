/* clean */
// Reads a segment into a block of its size and looks at its head: what is behind a shorter segment is not there.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
	int size = f ? fgetc(f) : EOF, at;
	if (size == EOF)
		return 2;
	unsigned char *data = calloc((size_t)size + 1, 1);
	if (!data || fread(data, 1, (size_t)size, f) != (size_t)size)
		return 3;
	if (memcmp(data, "HEAD", size < 4 ? (size_t)size : 4) != 0 || size < 4)
		return 4;
	at = data[4] & 15;
	if (at != 3 && at > size)
		return 5;
	printf("%d\n", data[at]); // with 3, at least "HEAD" is there
	return 0;
}
