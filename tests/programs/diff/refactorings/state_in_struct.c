// Globals became fields of a structure that is passed along.
#include <ctype.h>
#include <stdio.h>

#ifdef NEW
struct counts {
	unsigned lines, words, bytes;
	int inside;
};

static void count(struct counts *s, int c)
{
	s->bytes++;
	if (c == '\n')
		s->lines++;
	if (isspace(c)) {
		s->inside = 0;
	} else if (!s->inside) {
		s->inside = 1;
		s->words++;
	}
}

static int report(const struct counts *s)
{
	printf("%u %u %u\n", s->lines, s->words, s->bytes);
	return s->bytes == 0;
}

int main(void)
{
	struct counts s = {0};
	for (int c = getchar(); c != EOF; c = getchar())
		count(&s, c);
	return report(&s);
}
#else
static unsigned lines, words, bytes;
static int inside;

static void count(int c)
{
	bytes++;
	lines += c == '\n';
	if (isspace(c)) {
		inside = 0;
		return;
	}
	words += !inside;
	inside = 1;
}

static int report(void)
{
	printf("%u %u %u\n", lines, words, bytes);
	return bytes == 0;
}

int main(void)
{
	int c;
	while ((c = getchar()) != EOF)
		count(c);
	return report();
}
#endif
