// Numbers by atoi and strtol, with what may be wrong with them.
// run: --sym-args 0 2 2
#include <errno.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	char *end;
	if (argc < 3)
		return 1;
	int a = atoi(argv[1]);
	errno = 0;
	long b = strtol(argv[2], &end, 16);
	if (end == argv[2])
		return 2;
	if (*end)
		return 3;
	if (errno == ERANGE)
		return 4; /* unreachable */
	if (a == 12 && b == 0xfe)
		return 5;
	return a * b == -45 ? 6 : 7;
}
