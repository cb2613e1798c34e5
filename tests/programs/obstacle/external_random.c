// A generator of random numbers that the input seeds.
#include "bomb.h"

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	srand((unsigned)atoi(argv[1]));
#if LEVEL == 1
	if (rand() % 10 == 3)
		bomb();
#else
	int a = rand() % 100, b = rand() % 10;
	if (a == 42 && b == 7)
		bomb();
#endif
	return 0;
}
