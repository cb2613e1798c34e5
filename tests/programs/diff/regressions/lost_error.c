// args: @@
// function: check
#include <stdio.h>

static int check(const char *line)
{
	if (line[0] != '#')
		return 1;
#ifdef NEW
	if (line[1] == '!')
		fputs("no scripts\n", stdout);
#else
	if (line[1] == '!') {
		fputs("no scripts\n", stdout);
		return 3;
	}
#endif
	return 0;
}

int main(int argc, char **argv)
{
	char line[64] = "";
	FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;
	if (!f || !fgets(line, sizeof line, f))
		return 4;
	return check(line);
}
