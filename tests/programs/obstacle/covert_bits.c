// Every bit of the input is copied by a branch, not by a value.
#include "bomb.h"

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	int value = atoi(argv[1]), copy = 0;
	for (int bit = 0; bit < (LEVEL == 1 ? 8 : 14); bit++)
		if (value & 1 << bit)
			copy += 1 << bit;
	if (copy == (LEVEL == 1 ? 0x5a : 0x1a5a))
		bomb();
	return 0;
}
