// A loop whose number of rounds is a property of the input.
#include "bomb.h"

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	unsigned n = (unsigned char)argv[1][0];
#if LEVEL == 2
	n = (unsigned)atoi(argv[1]);
	if (n > 100000)
		return 1;
#endif
	int rounds = 0;
	while (n > 1 && rounds < 500) {
		n = n % 2 ? 3 * n + 1 : n / 2;
		rounds++;
	}
	if (rounds == (LEVEL == 1 ? 25 : 97))
		bomb();
	return 0;
}
