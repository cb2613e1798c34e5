// Arrays that the input indexes: read, written, and read back; a permutation that must come out.
// paths: 50
// Which element is written is part of the path: 3 of the 4 for the first byte, 4 for each of the others, and the two
// ways out before that.
#include <klee/klee.h>

int main(void)
{
	static const unsigned char prime[16] = {0, 0, 1, 1, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0};
	unsigned char in[3], seen[4] = {0};
	klee_make_symbolic(in, sizeof in, "in");
	if (in[0] >= 16 || !prime[in[0]])
		return 1;
	for (int i = 0; i < 3; i++)
		seen[in[i] & 3]++;
	if (seen[0] == 2)
		return 2;
	if (seen[1] == 1 && seen[2] == 1 && seen[3] == 1)
		return 3;
	return 4;
}
