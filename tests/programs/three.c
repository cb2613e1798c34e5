// Three errors: beyond a global variable, beyond a heap block, a division by zero. For tests/e2e/report.sh, which knows
// its lines.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int table[10];

static int digit(const char *s)
{
	return s[0] - '0';
}

int main(int argc, char **argv)
{
	char line[64];
	if (argc < 2)
		return 2;
	char *copy = malloc(strlen(argv[1]) + 1);
	strcpy(copy, argv[1]);
	if (!fgets(line, sizeof line, stdin))
		return 1;
	if (copy[0] == 'a' && line[0] == 'x') {
		int i = digit(line + 1);
		if (i >= 0)
			table[i] = 1;
		if (line[2] == '!')
			copy[strlen(copy) + 1] = 'z';
	}
	if (line[3] == '/')
		return 100 / (line[4] - '0');
	free(copy);
	return 0;
}
