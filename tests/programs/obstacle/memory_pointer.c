// The input chooses through which pointer is written.
#include "bomb.h"

int main(int argc, char **argv)
{
	int cells[8] = {0}, *pointers[8];
	for (int i = 0; i < 8; i++)
		pointers[i] = &cells[(i * 5 + 2) & 7];
	if (argc < 2)
		return 1;
#if LEVEL == 1
	*pointers[argv[1][0] & 7] = 9;
	if (cells[4] == 9)
		bomb();
#else
	for (int i = 0; i < 3 && argv[1][i]; i++)
		*pointers[argv[1][i] & 7] += i + 1;
	if (cells[1] == 3 && cells[6] == 3)
		bomb();
#endif
	return 0;
}
