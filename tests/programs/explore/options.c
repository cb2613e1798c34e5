// Options by getopt, one with a value.
// run: --sym-args 0 2 3
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int c, all = 0, level = 0;
	opterr = 0;
	while ((c = getopt(argc, argv, "an:")) != -1) {
		switch (c) {
		case 'a': all = 1; break;
		case 'n': level = optarg[0] - '0'; break;
		default: return 2;
		}
	}
	if (all && level == 7)
		return 3;
	return optind < argc ? 4 : 5;
}
