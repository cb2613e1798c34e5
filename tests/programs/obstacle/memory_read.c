// Reads at indices that are input, one behind the other.
#include "bomb.h"

static unsigned short next[LEVEL == 1 ? 256 : 4096];

int main(int argc, char **argv)
{
	unsigned size = sizeof(next) / sizeof(next[0]);
	for (unsigned i = 0; i < size; i++)
		next[i] = (unsigned short)((i * 167 + 13) % size);
	if (argc < 2)
		return 1;
	unsigned at = (unsigned)atoi(argv[1]) % size;
	if (next[next[at]] == (LEVEL == 1 ? 77 : 3210))
		bomb();
	return 0;
}
