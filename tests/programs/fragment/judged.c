// What AddressSanitizer says of fragments: errors are reported, and what is assumed is none.
#include <stdlib.h>
#include <string.h>

struct item {
	int n;
	struct item *next;
	char name[4];
};

// Its own block is too small.
int overflow(int n)
{
	char *p = malloc(4);
	if (!p)
		return 0;
	p[n == 77 ? 4 : 0] = 1;
	int r = p[0];
	free(p);
	return r;
}

int use_after_free(struct item *p)
{
	int n = p->n;
	if (n == 5)
		free(p);
	return n == 5 ? p->n : 0;
}

int by_alias(struct item *p, struct item *q)
{
	free(p);
	return q->n;
}

int quotient(int a, int b)
{
	return a / b;
}

// Where a made-up object ends, and that a pointer is not null, is assumed.
int assumed(struct item *p, int i)
{
	if (!p)
		return p->n;
	return p->name[i & 31];
}

int text(const char *s)
{
	return (int)strlen(s);
}

int sum(struct item *p)
{
	int n = 0;
	for (int i = 0; p && i < 3; i++, p = p->next)
		n ^= p->n;
	return n == 12;
}

int main(void)
{
	return 0;
}
