// args: 2
// function: rate_for
// Fields changed their order, what initialises them by position did not.
#include <stdio.h>
#include <stdlib.h>

struct rate {
	const char *name;
#ifdef NEW
	int limit, cents;
#else
	int cents, limit;
#endif
};

static const struct rate rates[] = {
	{"letter", 85, 20},
	{"large", 160, 500},
	{"parcel", 549, 2000},
};

static const struct rate *rate_for(int grams)
{
	for (unsigned i = 0; i < sizeof rates / sizeof *rates; i++)
		if (grams <= rates[i].limit)
			return &rates[i];
	return NULL;
}

static int weight_of(const char *text)
{
	int grams = 0;
	for (; *text >= '0' && *text <= '9'; text++)
		if (grams < 100000)
			grams = grams * 10 + *text - '0';
	return *text ? -1 : grams;
}

int main(int argc, char **argv)
{
	const struct rate *r;
	int grams = argc > 1 ? weight_of(argv[1]) : -1;
	if (grams < 0)
		return 2;
	r = rate_for(grams);
	if (!r) {
		puts("too heavy");
		return 1;
	}
	printf("%s: %d.%02d\n", r->name, r->cents / 100, r->cents % 100);
	return 0;
}
