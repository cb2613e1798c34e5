// args: 3,9,4
// function: add
// Smallest, largest and last value of a list.
#include <stdio.h>
#include <stdlib.h>

struct statistics {
	long low, high, last;
	unsigned n;
};

static void add(struct statistics *s, long value)
{
	if (s->n == 0 || value < s->low)
		s->low = value;
#ifdef NEW
	if (s->n == 0 || value > s->last)
#else
	if (s->n == 0 || value > s->high)
#endif
		s->high = value;
	s->last = value;
	s->n++;
}

static int parse(struct statistics *s, const char *list)
{
	while (*list) {
		char *end;
		long value = strtol(list, &end, 10);
		if (end == list)
			return -1;
		add(s, value);
		if (*end && *end != ',')
			return -1;
		list = end + (*end == ',');
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct statistics s = {0};
	if (argc < 2)
		return 2;
	if (parse(&s, argv[1]) < 0) {
		printf("value %u is no number\n", s.n + 1);
		return 1;
	}
	if (s.n)
		printf("%u values from %ld to %ld, at last %ld\n", s.n, s.low, s.high, s.last);
	return 0;
}
