// How a day of the week is called: 1 is Monday, with -s Sunday.
#include <stdio.h>
#include <stdlib.h>

static const char *const names[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};

int main(int argc, char **argv)
{
	int first = 0;
	if (argc > 2 && argv[1][0] == '-' && argv[1][1] == 's') {
		first = 1; // weeks begin on Sunday
		argv++;
	}
	int day = atoi(argv[argc > 1 ? 1 : 0]);
	if (day < 1 || day > 7)
		return 1;
	puts(names[first ? day - 2 : day - 1]);
	return 0;
}
