// A loop runs as often as the input says; only one number of rounds is right.
#include "bomb.h"

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	unsigned n = (unsigned)atoi(argv[1]), sum = 0, i;
	for (i = 0; i < n && i < 1000000; i++)
		sum += LEVEL == 1 ? 2 : 3;
	if (sum == (LEVEL == 1 ? 2 * 500 : 3 * 65536))
		bomb();
	return 0;
}
