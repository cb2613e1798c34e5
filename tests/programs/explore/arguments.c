// How many arguments there are, and what options they say.
// run: --sym-args 0 2 2
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	int loud = 0, files = 0;
	for (int i = 1; i < argc; i++) {
		if (argv[i][0] != '-')
			files++;
		else if (argv[i][1] == 'v')
			loud++;
		else if (argv[i][1])
			return 2;
		else
			return 3;
	}
	if (argc > 3)
		return 4; /* unreachable */
	if (files == 2)
		return 5;
	return loud == 2 ? 6 : loud == 1 && files == 1 ? 7 : 8;
}
