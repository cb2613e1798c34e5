/* distance: 0 */
// Prints labels for shelves: label ROW SHELF TEXT...
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 24 };

static void rule(void)
{
	putchar('+');
	for (int i = 0; i < WIDTH; i++)
		putchar('-');
	puts("+");
}

static void line(const char *text)
{
	printf("|%-*.*s|\n", WIDTH, WIDTH, text);
}

// The place is short, the text follows it.
static void label(char row, unsigned shelf, const char *text)
{
	char all[40];
	sprintf(all, "%c%u: %s", row, shelf, text); /* bug: stack-buffer-overflow */
	rule();
	line(all);
	if (strlen(all) > WIDTH)
		line(all + WIDTH);
	rule();
}

int main(int argc, char **argv)
{
	if (argc < 4) {
		fprintf(stderr, "usage: label ROW SHELF TEXT...\n");
		return 2;
	}
	if (argv[1][0] < 'A' || argv[1][0] > 'Z' || argv[1][1]) {
		fprintf(stderr, "label: a row is a letter from A to Z\n");
		return 1;
	}
	unsigned shelf = (unsigned)atoi(argv[2]);
	if (shelf == 0 || shelf > 99) {
		fprintf(stderr, "label: shelves are 1 to 99\n");
		return 1;
	}
	for (int i = 3; i < argc; i++)
		label(argv[1][0], shelf, argv[i]);
	return 0;
}
