/* The test never comes to where the file is read: what is in it then belongs to the finding. */
/* distance: 1 */
#include <stdio.h>
#include <string.h>

static const char *const names[4] = {"none", "few", "some", "all"};

int main(int argc, char **argv)
{
	if (argc < 2 || strcmp(argv[1], "show") != 0) {
		puts("usage: config show");
		return 0;
	}
	FILE *f = fopen("config.txt", "r");
	int level = f ? getc(f) - '0' : 0;
	puts(names[level]); /* bug: global-buffer-overflow segv */
	return 0;
}
