/* distance: 0 */
// Reads 100 KB of definitions, as units does, before it looks at its argument: the bug depends on the argument alone.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct unit {
	char name[16];
	double factor;
} units[8192];
static int n_units;

static void define(char *line)
{
	char *end = line;
	while (isalnum((unsigned char)*end))
		end++;
	if (end == line || end - line > 15 || n_units == 8192)
		return;
	memcpy(units[n_units].name, line, (size_t)(end - line));
	units[n_units++].factor = atof(end);
}

int main(int argc, char **argv)
{
	static const char *const prefixes[] = {"", "kilo", "mega", "giga", "tera"};
	char line[256];
	FILE *f = fopen("definitions", "r");
	if (!f || argc < 2)
		return 2;
	while (fgets(line, sizeof line, f))
		define(line);
	fclose(f);
	int power = argv[1][0] - '0';
	if (power < 0 || power > 9)
		return 1;
	printf("%d units, %s\n", n_units, prefixes[power]); /* bug: global-buffer-overflow index-out-of-bounds */
	return 0;
}
