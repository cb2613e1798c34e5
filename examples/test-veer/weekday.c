// Prints the names of days: weekday NUMBER..., 0 for Sunday.
#include <stdio.h>
#include <stdlib.h>

static const char *const names[7] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		char *end;
		unsigned long n = strtoul(argv[i], &end, 10);
		if (end == argv[i] || *end || n > 7) {
			fprintf(stderr, "weekday: there is no day %s\n", argv[i]);
			return 1;
		}
		puts(names[n]);
	}
	return 0;
}
