// args: *a
// Matches a pattern with * and ?; the recursion became a loop that remembers the last star.
#include <stdio.h>
#include <string.h>

static int matches(const char *pattern, const char *text)
{
#ifdef NEW
	const char *star = NULL, *at = NULL;
	while (*text) {
		if (*pattern == '*') {
			star = pattern++;
			at = text;
		} else if (*pattern == '?' || *pattern == *text) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star + 1;
			text = ++at;
		} else {
			return 0;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
#else
	if (*pattern == '*')
		return matches(pattern + 1, text) || (*text && matches(pattern, text + 1));
	if (!*text)
		return !*pattern;
	if (*pattern == '?' || *pattern == *text)
		return matches(pattern + 1, text + 1);
	return 0;
#endif
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"apple", "banana", "cherry", "fig", "grape"};
	unsigned n = 0;
	if (argc < 2 || strlen(argv[1]) > 12)
		return 2;
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (matches(argv[1], names[i])) {
			puts(names[i]);
			n++;
		}
	return n == 0;
}
