// Reads a file of [sections] with key = value lines, as many programs do, and acts on it.
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
	char name[32];
	long port;
	int verbose;
	double scale;
} config = {"none", 80, 0, 1};

static char *strip(char *s)
{
	while (isspace((unsigned char)*s))
		s++;
	char *end = s + strlen(s);
	while (end > s && isspace((unsigned char)end[-1]))
		*--end = 0;
	return s;
}

static int bad(int line, const char *what)
{
	fprintf(stderr, "line %d: %s\n", line, what);
	return 1;
}

static int truth(const char *value)
{
	static const char *const yes[] = {"yes", "true", "on", "1"}, *const no[] = {"no", "false", "off", "0"};
	for (int i = 0; i < 4; i++) {
		if (strcasecmp(value, yes[i]) == 0)
			return 1;
		if (strcasecmp(value, no[i]) == 0)
			return 0;
	}
	return -1;
}

static int set(int line, const char *section, const char *key, char *value)
{
	if (strcmp(section, "server") == 0 && strcmp(key, "port") == 0) {
		char *end;
		errno = 0;
		config.port = strtol(value, &end, 10);
		if (end == value || *end || errno || config.port < 1 || config.port > 65535)
			return bad(line, "bad port");
	} else if (strcmp(key, "name") == 0) {
		if (strlen(value) >= sizeof config.name)
			return bad(line, "name too long");
		strcpy(config.name, value);
	} else if (strcmp(key, "verbose") == 0) {
		config.verbose = truth(value);
		if (config.verbose < 0)
			return bad(line, "neither yes nor no");
	} else if (sscanf(value, "%lf", &config.scale) != 1) {
		return bad(line, "unknown key");
	}
	return 0;
}

int main(int argc, char **argv)
{
	char text[256], section[32] = "";
	int errors = 0, line = 0;
	FILE *f = argc > 1 ? fopen(argv[1], "r") : stdin;
	if (!f)
		return 2;
	while (fgets(text, sizeof text, f)) {
		char *s = strip(text), *equals;
		line++;
		if (*s == 0 || *s == ';' || *s == '#')
			continue;
		if (*s == '[') {
			char *end = strchr(s, ']');
			if (!end || end - s > 31)
				errors += bad(line, "bad section");
			else
				sprintf(section, "%.*s", (int)(end - s - 1), s + 1);
		} else if (!(equals = strchr(s, '='))) {
			errors += bad(line, "no value");
		} else {
			*equals = 0;
			errors += set(line, section, strip(s), strip(equals + 1));
		}
	}
	printf("%s:%ld %d %g, %d errors\n", config.name, config.port, config.verbose, config.scale, errors);
	return errors != 0;
}
