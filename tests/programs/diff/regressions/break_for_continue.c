// function: load
// Settings, a line each: the new version ends at the first empty line.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct settings {
	int verbose, level;
	char name[16];
};

static void strip(char *line)
{
	size_t n = strlen(line);
	while (n > 0 && isspace((unsigned char)line[n - 1]))
		line[--n] = '\0';
}

static int set(struct settings *s, const char *line)
{
	if (strcmp(line, "verbose") == 0)
		s->verbose = 1;
	else if (strncmp(line, "level ", 6) == 0 && isdigit((unsigned char)line[6]))
		s->level = line[6] - '0';
	else if (strncmp(line, "name ", 5) == 0)
		snprintf(s->name, sizeof s->name, "%s", line + 5);
	else
		return -1;
	return 0;
}

static int load(struct settings *s, FILE *f)
{
	char line[40];
	int errors = 0;
	while (fgets(line, sizeof line, f)) {
		strip(line);
		if (!*line)
#ifdef NEW
			break;
#else
			continue;
#endif
		if (*line != '#' && set(s, line) < 0)
			errors++;
	}
	return errors;
}

int main(void)
{
	struct settings s = {.level = 1, .name = "default"};
	int errors = load(&s, stdin);
	printf("%s: level %d%s, %d errors\n", s.name, s.level, s.verbose ? ", verbose" : "", errors);
	return errors > 0;
}
