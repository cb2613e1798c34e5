// Floats: a value that rounding makes.
#include "bomb.h"
#include <math.h>

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	float x = (float)atof(argv[1]);
#if LEVEL == 1
	if (x != 0 && x + 1000000.0f == 1000000.0f)
		bomb();
#else
	if (x > 0 && sqrtf(x) == 1.375f && x != 1.890625f)
		bomb();
#endif
	return 0;
}
