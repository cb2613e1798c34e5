// args: 12:30
// What two functions did is written where it was called.
#include <ctype.h>
#include <stdio.h>

struct moment {
	int hours, minutes;
};

#ifdef NEW
static int parse(const char *p, struct moment *ret)
{
	int *to[2] = {&ret->hours, &ret->minutes}, limits[2] = {24, 60};
	for (int i = 0; i < 2; i++) {
		if (i && *p++ != ':')
			return -1;
		if (!isdigit((unsigned char)p[0]) || !isdigit((unsigned char)p[1]))
			return -1;
		*to[i] = (p[0] - '0') * 10 + p[1] - '0';
		if (*to[i] >= limits[i])
			return -1;
		p += 2;
	}
	return *p ? -1 : 0;
}
#else
static int digits(const char *p)
{
	if (!isdigit((unsigned char)p[0]) || !isdigit((unsigned char)p[1]))
		return -1;
	return (p[0] - '0') * 10 + p[1] - '0';
}

static int in_range(int value, int limit)
{
	return value >= 0 && value < limit;
}

static int parse(const char *p, struct moment *ret)
{
	ret->hours = digits(p);
	if (!in_range(ret->hours, 24))
		return -1;
	if (p[2] != ':')
		return -1;
	ret->minutes = digits(p + 3);
	return in_range(ret->minutes, 60) && !p[5] ? 0 : -1;
}
#endif

int main(int argc, char **argv)
{
	struct moment m;
	if (argc < 2 || parse(argv[1], &m) < 0) {
		puts("not a time of day");
		return 1;
	}
	printf("%d minutes\n", m.hours * 60 + m.minutes);
	return 0;
}
