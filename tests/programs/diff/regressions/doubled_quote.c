// args: --sym-arg 6
// function: field
// Fields of a line of comma-separated values: the new version forgot what two quotes inside of quotes are.
#include <stdio.h>

struct reader {
	const char *p;
	char text[64];
	unsigned length;
};

static void put(struct reader *r, char c)
{
	if (r->length < sizeof r->text - 1)
		r->text[r->length++] = c;
}

static int field(struct reader *r)
{
	r->length = 0;
	if (*r->p == '"') {
		for (r->p++; *r->p; r->p++) {
			if (*r->p == '"') {
#ifndef NEW
				if (r->p[1] != '"')
					break;
				r->p++;
#else
				break;
#endif
			}
			put(r, *r->p);
		}
		if (*r->p++ != '"')
			return -1;
	} else {
		while (*r->p && *r->p != ',')
			put(r, *r->p++);
	}
	r->text[r->length] = '\0';
	return *r->p == ',' || !*r->p ? 0 : -1;
}

int main(int argc, char **argv)
{
	struct reader r = {.p = argc > 1 ? argv[1] : ""};
	for (int n = 1;; n++) {
		if (field(&r) < 0) {
			printf("field %d is malformed\n", n);
			return 1;
		}
		printf("%d: %s\n", n, r.text);
		if (!*r.p++)
			return 0;
	}
}
