/* distance: 1 */
// Leaves out lines that are the same as the one before, as uniq(1): -c with their number, -d only those that came more
// than once; -m says at the end which came most often.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int counts, only_repeated, tell_most;
static const char *most_line;
static unsigned most;

static char *read_line(FILE *f)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t n = getline(&line, &room, f);
	if (n <= 0) {
		free(line);
		return NULL;
	}
	if (line[n - 1] == '\n')
		line[n - 1] = 0;
	return line;
}

static void print(const char *line, unsigned n)
{
	if (n > most) {
		most = n;
		most_line = line;
	}
	if (only_repeated && n < 2)
		return;
	if (counts)
		printf("%4u ", n);
	puts(line);
}

static void uniq(FILE *f)
{
	unsigned n = 1;
	char *before = read_line(f), *line;
	if (!before)
		return;
	while ((line = read_line(f))) {
		if (strcmp(before, line) == 0) {
			n++;
			free(line);
			continue;
		}
		print(before, n);
		free(before);
		before = line;
		n = 1;
	}
	print(before, n);
	if (tell_most)
		printf("most often: %s\n", most_line); /* bug: heap-use-after-free */
	free(before);
}

int main(int argc, char **argv)
{
	for (int option; (option = getopt(argc, argv, "cdm")) != -1;) {
		switch (option) {
		case 'c': counts = 1; break;
		case 'd': only_repeated = 1; break;
		case 'm': tell_most = 1; break;
		default: return 2;
		}
	}
	FILE *f = optind < argc ? fopen(argv[optind], "r") : stdin;
	if (!f) {
		perror(argv[optind]);
		return 1;
	}
	uniq(f);
	fclose(f);
	return 0;
}
