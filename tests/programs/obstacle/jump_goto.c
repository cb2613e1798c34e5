// A computed goto.
#include "bomb.h"

int main(int argc, char **argv)
{
	static const void *const labels[] = {&&next, &&next, &&next, &&next, &&next, &&up, &&next, &&down};
	int level = 0;
	if (argc < 2)
		return 1;
	const char *at = argv[1];
next:
	if (!*at)
		return 0;
	goto *labels[*at++ & 7];
up:
	level++;
	if (level == (LEVEL == 1 ? 2 : 5))
		bomb();
	goto next;
down:
	level -= LEVEL - 1;
	goto next;
}
