// The program opens the file that its argument names, and looks for another one.
#include "bomb.h"
#include <stdio.h>
#include <sys/stat.h>

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
#if LEVEL == 1
	FILE *file = fopen(argv[1], "r");
	if (file)
		bomb();
#else
	struct stat status;
	if (stat(argv[1], &status) == 0 && S_ISDIR(status.st_mode) && argv[1][0] == '/' && argv[1][1])
		bomb();
#endif
	return 0;
}
