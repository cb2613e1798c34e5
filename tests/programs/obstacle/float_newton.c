// Newton's method on the input.
#include "bomb.h"
#include <math.h>

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	double x = atof(argv[1]), root = x;
	if (!(x > 0 && x < 1000))
		return 1;
	for (int i = 0; i < (LEVEL == 1 ? 4 : 12); i++)
		root = (root + x / root) / 2;
	if (fabs(root - 5) < (LEVEL == 1 ? 0.5 : 0.01))
		bomb();
	return 0;
}
