// A write at an index that is input decides what is read later.
#include "bomb.h"

int main(int argc, char **argv)
{
	unsigned char board[16] = {0};
	if (argc < 2)
		return 1;
#if LEVEL == 1
	board[argv[1][0] & 15] = 1;
	if (board[11])
		bomb();
#else
	for (const char *at = argv[1]; *at; at++)
		board[*at & 15]++;
	if (board[3] == 2 && board[9] == 1 && board[14] == 1)
		bomb();
#endif
	return 0;
}
