// Commands by name: strcmp, strncmp, strchr, strlen, each a decision of its own.
// run: --sym-arg 6
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	if (argc != 2)
		return 9;
	const char *s = argv[1];
	if (strcmp(s, "start") == 0)
		return 0;
	if (strcmp(s, "stop") == 0)
		return 1;
	if (strncmp(s, "set=", 4) == 0)
		return strcmp(s + 4, "on") == 0 ? 2 : 3;
	if (strlen(s) == 6)
		return strchr(s, ',') ? 4 : 5;
	if (strcmp(s, "restart") == 0)
		return 6; /* unreachable */
	return 7;
}
