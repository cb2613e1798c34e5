/* distance: 0 */
// Makes an image of one colour: reads a header from standard input (magic, width, height, colour, depth) and prints the
// image's first and last pixel, and a check number.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct header {
	char magic[2];
	uint16_t width, height;
	uint8_t colour, depth;
};

static int fail(const char *what)
{
	fprintf(stderr, "image: %s\n", what);
	return 1;
}

static int read_header(struct header *h)
{
	if (fread(h, sizeof *h, 1, stdin) != 1 || memcmp(h->magic, "IM", 2) != 0)
		return fail("not an image");
	if (h->width == 0 || h->height == 0)
		return fail("empty");
	if (h->width > 1024)
		return fail("too wide");
	if (h->depth > 4)
		return fail("unknown depth");
	return 0;
}

// A row more than the image has, for what is painted over the edge.
static uint8_t *canvas(const struct header *h)
{
	uint16_t rows = (uint16_t)(h->height + 1);
	return malloc((size_t)h->width * rows);
}

static unsigned sum(const uint8_t *p, size_t n)
{
	unsigned s = 0;
	for (size_t i = 0; i < n; i++)
		s = (s * 31 + p[i]) & 0xffff;
	return s;
}

int main(void)
{
	struct header h;
	if (read_header(&h))
		return 1;
	uint8_t *pixels = canvas(&h);
	if (!pixels)
		return fail("too large");
	size_t size = (size_t)h.width * h.height;
	memset(pixels, h.colour, size); /* bug: heap-buffer-overflow */
	printf("%ux%u %u %u, %u\n", h.width, h.height, pixels[0], pixels[size - 1], sum(pixels, size > 64 ? 64 : size));
	free(pixels);
	return 0;
}
