// args: u:text
// function: filter_named
// Filters, found by their letter in a table of functions.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

typedef void filter(char *text);

static void upper(char *text)
{
	for (; *text; text++)
		*text = (char)toupper((unsigned char)*text);
}

static void reverse(char *text)
{
	size_t n = strlen(text);
	for (size_t i = 0; i < n / 2; i++) {
		char c = text[i];
		text[i] = text[n - 1 - i];
		text[n - 1 - i] = c;
	}
}

static void squeeze(char *text)
{
	char *to = text;
	for (char last = '\0'; *text; last = *text++)
		if (*text != last)
			*to++ = *text;
	*to = '\0';
}

static void nothing(char *text)
{
	(void)text;
}

static const struct {
	char letter;
	filter *run;
} filters[] = {
	{'n', nothing},
	{'u', upper},
#ifdef NEW
	{'r', squeeze},
	{'s', reverse},
#else
	{'r', reverse},
	{'s', squeeze},
#endif
};

static filter *filter_named(char letter)
{
	for (size_t i = 0; i < sizeof filters / sizeof *filters; i++)
		if (filters[i].letter == letter)
			return filters[i].run;
	return NULL;
}

int main(int argc, char **argv)
{
	filter *run = argc > 1 ? filter_named(argv[1][0]) : NULL;
	if (!run || argv[1][1] != ':')
		return 2;
	run(argv[1] + 2);
	puts(argv[1] + 2);
	return 0;
}
