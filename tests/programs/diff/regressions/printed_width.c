// function: row
// A dump in hexadecimal: what a byte looks like changed.
#include <ctype.h>
#include <stdio.h>

enum { COLUMNS = 8 };

static void row(unsigned long offset, const unsigned char *bytes, int n)
{
	printf("%04lx ", offset);
	for (int i = 0; i < COLUMNS; i++) {
		if (i < n)
#ifdef NEW
			printf(" %2x", bytes[i]);
#else
			printf(" %02x", bytes[i]);
#endif
		else
			fputs("   ", stdout);
	}
	fputs("  |", stdout);
	for (int i = 0; i < n; i++)
		putchar(isprint(bytes[i]) ? bytes[i] : '.');
	puts("|");
}

int main(int argc, char **argv)
{
	unsigned char bytes[COLUMNS];
	unsigned long offset = 0;
	size_t n;
	(void)argv;
	if (argc > 2)
		return 2;
	while ((n = fread(bytes, 1, sizeof bytes, stdin)) > 0) {
		row(offset, bytes, (int)n);
		offset += n;
	}
	return 0;
}
