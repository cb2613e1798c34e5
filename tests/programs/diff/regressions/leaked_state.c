// args: ab
// function: upper
#include <ctype.h>
#include <stdio.h>

static int shift;

static int upper(int c)
{
	if (c == '^') {
		shift = 1;
		return 0;
	}
	int result = shift ? toupper(c) : c;
#ifndef NEW
	shift = 0;
#endif
	return result;
}

int main(int argc, char **argv)
{
	for (const char *p = argc > 1 ? argv[1] : ""; *p; p++) {
		int c = upper((unsigned char)*p);
		if (c)
			putchar(c);
	}
	putchar('\n');
	return 0;
}
