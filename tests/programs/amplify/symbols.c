/* distance: 0 */
// Lists the symbols of a small object file, image.o in the working folder: a header (magic, number of symbols, size of
// the names), the symbols (offset of the name, kind, value), then the names.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct header {
	char magic[4];
	uint16_t n_symbols, names_size;
};

struct symbol {
	uint16_t name;
	uint8_t kind, value;
};

static int fail(const char *what)
{
	fprintf(stderr, "symbols: %s\n", what);
	return 1;
}

static const char *kind_name(unsigned kind)
{
	static const char *const names[] = {"none", "object", "function", "section"};
	return kind < sizeof names / sizeof *names ? names[kind] : "unknown";
}

static void print(const struct symbol *s, const char *names)
{
	printf("%02x %-8s ", s->value, kind_name(s->kind));
	for (const char *p = names + s->name; *p; p++) /* bug: heap-buffer-overflow */
		putchar(*p);
	putchar('\n');
}

static int list(FILE *f)
{
	struct header h;
	if (fread(&h, sizeof h, 1, f) != 1 || memcmp(h.magic, "\177OBJ", 4) != 0)
		return fail("not an object file");
	if (h.n_symbols > 64 || h.names_size > 1024)
		return fail("too large");
	if (h.names_size == 0)
		return h.n_symbols ? fail("symbols without names") : 0;
	struct symbol symbols[64];
	char *names = malloc(h.names_size);
	if (!names)
		return fail("out of memory");
	int status = 0;
	if (fread(symbols, sizeof *symbols, h.n_symbols, f) != h.n_symbols ||
	    fread(names, 1, h.names_size, f) != h.names_size || names[h.names_size - 1] != 0)
		status = fail("cut off");
	for (unsigned i = 0; !status && i < h.n_symbols; i++)
		print(&symbols[i], names);
	free(names);
	return status;
}

int main(void)
{
	FILE *f = fopen("image.o", "rb");
	if (!f)
		return fail("no image.o here");
	int status = list(f);
	fclose(f);
	return status;
}
