// args: bca
// function: compare
// Sorts letters, digits last; the new version's comparison of equal kinds is the wrong way round for digits.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank(char c)
{
	return isalpha((unsigned char)c) ? 0 : isdigit((unsigned char)c) ? 1 : 2;
}

static int compare(const void *a, const void *b)
{
	char x = *(const char *)a, y = *(const char *)b;
	if (rank(x) != rank(y))
		return rank(x) - rank(y);
#ifdef NEW
	return rank(x) == 1 ? y - x : x - y;
#else
	return x - y;
#endif
}

static unsigned unique(char *text)
{
	unsigned n = 0;
	for (char *p = text; *p; p++)
		if (n == 0 || text[n - 1] != *p)
			text[n++] = *p;
	text[n] = '\0';
	return n;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	qsort(argv[1], strlen(argv[1]), 1, compare);
	printf("%u different: %s\n", unique(argv[1]), argv[1]);
	return 0;
}
