// args: @@
// function: read_record
// Records of a length byte, a kind byte and that many bytes, with a checksum of each.
#include <stdio.h>
#include <stdlib.h>

struct record {
	int kind;
#ifdef NEW
	unsigned char size; // with its head of two bytes
#else
	unsigned size; // with its head of two bytes
#endif
	unsigned sum;
};

enum { OK, END, BAD };

static int read_record(FILE *f, struct record *r)
{
	int length = getc(f);
	if (length == EOF)
		return END;
	r->kind = getc(f);
	if (r->kind == EOF)
		return BAD;
	r->size = length + 2;
	r->sum = 0;
	for (int i = 2; i < r->size; i++) {
		int c = getc(f);
		r->sum = r->sum * 2 + (c == EOF ? 0 : c);
	}
	return OK;
}

static const char *kind_name(int kind)
{
	switch (kind) {
	case 0: return "data";
	case 1: return "name";
	default: return kind < 16 ? "reserved" : "private";
	}
}

int main(int argc, char **argv)
{
	struct record r;
	unsigned n = 0;
	int result;
	FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL;
	if (!f)
		return 2;
	while ((result = read_record(f, &r)) == OK && n++ < 4)
		printf("%s, %u bytes, %08x\n", kind_name(r.kind), (unsigned)r.size, r.sum);
	fclose(f);
	return result == BAD;
}
