/* distance: 0 */
// Prints a table of address ranges as compilers write them into .debug_aranges: a header with the size of addresses and
// of segments, then entries. The table's size has to be a multiple of that of an entry.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 12 };

struct table {
	uint32_t length;
	uint16_t version;
	uint32_t unit;
	uint8_t address_size, segment_size;
};

static uint64_t little(const uint8_t *p, unsigned n)
{
	uint64_t v = 0;
	while (n--)
		v = v << 8 | p[n];
	return v;
}

static int fail(const char *what)
{
	fprintf(stderr, "aranges: %s\n", what);
	return 1;
}

static void read_header(const uint8_t *p, struct table *t)
{
	t->length = (uint32_t)little(p, 4);
	t->version = (uint16_t)little(p + 4, 2);
	t->unit = (uint32_t)little(p + 6, 4);
	t->address_size = p[10];
	t->segment_size = p[11];
}

static int print(const uint8_t *data, size_t size)
{
	struct table t;
	if (size < HEADER)
		return fail("no header");
	read_header(data, &t);
	if (t.version != 2)
		return fail("unknown version");
	if (t.length > size - 4 || t.length < HEADER - 4)
		return fail("the table is cut off");
	if (t.address_size > 8 || t.segment_size > 4)
		return fail("unknown size of addresses");
	size_t entry = 2u * t.address_size + t.segment_size;
	size_t room = t.length + 4 - HEADER;
	if (room % entry != 0) /* bug: division-by-zero */
		return fail("the size is not that of whole entries");
	printf("unit at %u\n", t.unit);
	for (const uint8_t *p = data + HEADER; room >= entry; p += entry, room -= entry) {
		uint64_t start = little(p + t.segment_size, t.address_size);
		uint64_t length = little(p + t.segment_size + t.address_size, t.address_size);
		if (start == 0 && length == 0)
			break;
		printf("%llx-%llx\n", (unsigned long long)start, (unsigned long long)(start + length));
	}
	return 0;
}

int main(int argc, char **argv)
{
	static uint8_t data[4096];
	FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
	if (!f)
		return fail("usage: aranges FILE");
	size_t size = fread(data, 1, sizeof data, f);
	fclose(f);
	return print(data, size);
}
