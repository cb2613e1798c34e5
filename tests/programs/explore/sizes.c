// Blocks of memory whose size is input; one is too small.
// paths: 22
// 20 places of the write, and none, with any of the 11 sizes; and what is too large.
// finds: error heap-buffer-overflow BUG
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
	unsigned char in[2];
	klee_make_symbolic(in, sizeof in, "in");
	if (in[0] > 10)
		return 1;
	char *block = malloc(in[0] + 4u);
	if (!block)
		return 2; /* unreachable */
	memset(block, 0, in[0] + 4u);
	if (in[1] < 20)
		block[in[1]] = 1; // BUG
	int r = block[3] ? 3 : 4;
	free(block);
	return r;
}
