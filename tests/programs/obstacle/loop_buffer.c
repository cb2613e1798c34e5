// An index passes the end of an array after so many rounds.
#include "bomb.h"
#include <string.h>

int main(int argc, char **argv)
{
	static char slots[LEVEL == 1 ? 64 : 300];
	if (argc < 2)
		return 1;
	int n = atoi(argv[1]), at = 0;
	for (int i = 0; i < n && i < 10000; i += 3)
		at++;
	if (at > (int)sizeof(slots))
		bomb();
	memset(slots, 1, (size_t)at);
	return slots[0];
}
