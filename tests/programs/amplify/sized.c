/* distance: 0 */
// Reads a header and clears a buffer: as many bytes as one part of the header says, in one that is as large as
// another part says.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	unsigned char h[4], *b;
	FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
	if (!f || fread(h, 1, sizeof h, f) != sizeof h || !(b = malloc(h[1] * 2 + 8))) {
		fprintf(stderr, "usage: sized FILE\n");
		return 2;
	}
	for (int i = 0; i < h[2] + h[3]; i++)
		b[i] = 0; /* bug: heap-buffer-overflow */
	printf("%d of %d bytes\n", h[2] + h[3], h[1] * 2 + 8);
	free(b);
	return 0;
}
