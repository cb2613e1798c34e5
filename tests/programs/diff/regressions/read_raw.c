// args: @@
// function: print
// A record is read from a file as it lies in memory: its members changed places, the files did not.
#include <stdint.h>
#include <stdio.h>

struct record {
	uint8_t kind;
#ifdef NEW
	uint8_t length, level;
#else
	uint8_t level, length;
#endif
	char name[5];
};

static int read_record(FILE *f, struct record *r)
{
	return fread(r, sizeof *r, 1, f) == 1;
}

static void print(const struct record *r)
{
	int length = r->length < sizeof r->name ? r->length : (int)sizeof r->name;
	printf("%u.%u %.*s\n", r->kind, r->level, length, r->name);
}

int main(int argc, char **argv)
{
	struct record r;
	int n = 0;
	FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL;
	if (!f)
		return 2;
	while (read_record(f, &r)) {
		if (r.kind == 0)
			break;
		print(&r);
		n++;
	}
	fclose(f);
	return n == 0;
}
