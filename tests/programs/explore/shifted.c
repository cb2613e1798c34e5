// An address in one argument that depends on another one, whose length changes: it is made concrete, and has to be the
// same in the next run.
// run: --sym-arg 3 --sym-arg 2
#include <string.h>

int main(int argc, char **argv)
{
	if (argc < 3)
		return 0;
	const char *s = argv[2] + (argv[1][0] == 'x');
	if (*s == 'a')
		return 1;
	for (const char *p = argv[1]; *p; p++)
		if (*p == 'b')
			return 2;
	return strlen(argv[1]) == 2;
}
