// Without limits: an argument as long as it takes.
// run: x
#include <string.h>

int main(int argc, char **argv)
{
	if (argc != 2)
		return 1;
	if (strcmp(argv[1], "a rather long argument") == 0)
		return 2;
	if (strncmp(argv[1], "--", 2) == 0)
		return strlen(argv[1]) > 40 ? 3 : 4;
	return 5;
}
