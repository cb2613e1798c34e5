// A line taken apart by strtok, words compared without case.
// run: --sym-stdin 6
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

int main(void)
{
	char line[7] = {0};
	if (read(0, line, 6) < 3)
		return 1;
	char *verb = strtok(line, " ");
	if (!verb)
		return 2;
	char *what = strtok(NULL, " ");
	if (strncasecmp(verb, "go", 3) == 0)
		return what && strcasecmp(what, "all") == 0 ? 3 : 4;
	if (strncasecmp(verb, "put", 2) == 0)
		return what ? 5 : 6;
	return 7;
}
