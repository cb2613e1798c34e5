// function: number
// Adds numbers, one on each line; the new version asks strtol to find out the base.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int number(const char *line, long *ret)
{
	char *end;
#ifdef NEW
	*ret = strtol(line, &end, 0);
#else
	*ret = strtol(line, &end, 10);
#endif
	while (*end == ' ' || *end == '\n')
		end++;
	return end != line && !*end;
}

static int is_comment(const char *line)
{
	return line[strspn(line, " \t")] == '#';
}

int main(void)
{
	char line[32];
	long sum = 0, value;
	unsigned at = 0;
	while (fgets(line, sizeof line, stdin)) {
		at++;
		if (line[0] == '\n' || is_comment(line))
			continue;
		if (!number(line, &value)) {
			fprintf(stderr, "line %u: no number\n", at);
			return 1;
		}
		sum += value;
	}
	printf("%ld\n", sum);
	return 0;
}
