/* distance: 2 */
// Prints what the head of a document says of it: lines "title: TEXT" and "author: TEXT" up to an empty line. Documents
// are named in the arguments, or come from standard input.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct meta {
	char *title, *author;
};

static int fail(const char *what)
{
	fprintf(stderr, "meta: %s\n", what);
	return 1;
}

static char *copy(const char *s)
{
	char *p = malloc(strlen(s) + 1);
	if (!p)
		exit(2);
	return strcpy(p, s);
}

static char *skip_blanks(char *s)
{
	while (*s == ' ')
		s++;
	return s;
}

// When there are several, the last one counts.
static int parse(FILE *f, struct meta *m)
{
	char line[80];
	while (fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = 0;
		if (!*line)
			break;
		char *colon = strchr(line, ':');
		if (!colon)
			return fail("a line without a colon");
		*colon = 0;
		char *value = skip_blanks(colon + 1);
		if (strcmp(line, "title") == 0) {
			free(m->title);
			if (!*value)
				return fail("the title is empty");
			m->title = copy(value);
		} else if (strcmp(line, "author") == 0) {
			if (!*value)
				return fail("the author is empty");
			free(m->author);
			m->author = copy(value);
		}
	}
	return 0;
}

static int document(FILE *f)
{
	struct meta m = {NULL, NULL};
	int status = parse(f, &m);
	if (!status)
		printf("%s, by %s\n", m.title ? m.title : "untitled", m.author ? m.author : "unknown");
	free(m.title); /* bug: double-free */
	free(m.author);
	return status;
}

int main(int argc, char **argv)
{
	int status = 0;
	if (argc < 2)
		return document(stdin);
	for (int i = 1; i < argc; i++) {
		FILE *f = fopen(argv[i], "r");
		if (!f) {
			perror(argv[i]);
			return 2;
		}
		status |= document(f);
		fclose(f);
	}
	return status;
}
