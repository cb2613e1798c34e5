// Functions of libm.
#include "bomb.h"
#include <math.h>

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	double x = atof(argv[1]);
#if LEVEL == 1
	if (x > 0 && fabs(log(x) - 2) < 0.01)
		bomb();
#else
	if (x > 1 && x < 10 && fabs(sin(x) - cos(x * x)) < 0.001 && pow(x, 1.5) > 9)
		bomb();
#endif
	return 0;
}
