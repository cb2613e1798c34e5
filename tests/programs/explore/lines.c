// Line by line: a last one without an end, one that does not fit, and one that begins with a NUL.
// run: --sym-stdin 4
// finds: error stack-buffer-underflow BUG
#include <stdio.h>
#include <string.h>

int main(void)
{
	char line[4];
	int n = 0, long_ones = 0;
	while (fgets(line, sizeof line, stdin)) {
		size_t length = strlen(line);
		if (length == 3 && line[2] != '\n')
			long_ones++;
		else if (line[length - 1] != '\n') // BUG
			puts("no end");
		n++;
	}
	if (n == 2 && long_ones == 0)
		return 1;
	return long_ones == 1 ? 2 : 0;
}
