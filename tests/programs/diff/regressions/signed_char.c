// args: a
// function: width
// Columns of UTF-8 text: a byte of 0x80 or more is negative in the new version.
#include <stdio.h>

static int width(const char *text)
{
	int columns = 0;
	while (*text) {
#ifdef NEW
		int c = *text++;
#else
		int c = (unsigned char)*text++;
#endif
		if (c == '\t')
			columns += 8 - columns % 8;
		else if (c >= 0xf0)
			columns += 2; // most of what is beyond the basic plane is wide
		else if (c >= 0xc0 || (c >= ' ' && c < 0x7f))
			columns++;
	}
	return columns;
}

static void center(const char *text, int room)
{
	int left = (room - width(text)) / 2;
	for (int i = 0; i < left; i++)
		putchar('.');
	puts(text);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		center(argv[i], 20);
	return argc > 1 ? 0 : 2;
}
