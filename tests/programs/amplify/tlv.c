/* clean */
// Prints nested records from standard input: a tag, a length of one byte (or 0x80 and two more bytes), the value. Tags
// with the bit 0x20 have records as their value.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { INSIDE = 0x20, LONG = 0x80, DEEPEST = 8 };

static int fail(const char *what)
{
	fprintf(stderr, "tlv: %s\n", what);
	return 1;
}

// Takes the header off; 0 when there is none.
static int header(const uint8_t **p, const uint8_t *end, uint8_t *tag, size_t *length)
{
	if (end - *p < 2)
		return 0;
	*tag = *(*p)++;
	*length = *(*p)++;
	if (*length == LONG) {
		if (end - *p < 2)
			return 0;
		*length = (size_t)(*p)[0] << 8 | (*p)[1];
		*p += 2;
	} else if (*length > LONG) {
		return 0;
	}
	return *length <= (size_t)(end - *p);
}

static void print_value(const uint8_t *p, size_t length)
{
	for (size_t i = 0; i < length; i++)
		printf(" %02x", p[i]);
	putchar('\n');
}

static int records(const uint8_t *p, const uint8_t *end, int depth)
{
	if (depth == DEEPEST)
		return fail("too deep");
	while (p < end) {
		uint8_t tag;
		size_t length;
		if (!header(&p, end, &tag, &length))
			return fail("bad record");
		printf("%*s%02x", 2 * depth, "", tag);
		if (tag & INSIDE) {
			printf(" {\n");
			if (records(p, p + length, depth + 1))
				return 1;
			printf("%*s}\n", 2 * depth, "");
		} else {
			print_value(p, length);
		}
		p += length;
	}
	return 0;
}

int main(void)
{
	static uint8_t data[4096];
	size_t size = fread(data, 1, sizeof data, stdin);
	if (size == sizeof data && getchar() != EOF)
		return fail("too large");
	return records(data, data + size, 0);
}
