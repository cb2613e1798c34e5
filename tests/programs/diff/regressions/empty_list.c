// args: abc
// function: join
// Joins what stands between colons; of nothing, the new version takes away one too many.
#include <stdio.h>
#include <string.h>

static size_t split(char *text, char **ret, size_t room)
{
	size_t n = 0;
	for (char *p = strtok(text, ":"); p && n < room; p = strtok(NULL, ":"))
		ret[n++] = p;
	return n;
}

static void join(char **parts, size_t n)
{
#ifdef NEW
	for (size_t i = 0; i <= n - 1; i++)
#else
	for (size_t i = 0; i < n; i++)
#endif
		printf("%s%s", i ? ", " : "", parts[i]);
	putchar('\n');
}

int main(int argc, char **argv)
{
	char *parts[8] = {NULL};
	if (argc < 2)
		return 2;
	size_t n = split(argv[1], parts, 8);
	join(parts, n);
	return n > 4;
}
