// Counts numbers by their class.
#include <math.h>
#include <stdio.h>
#include <veer.h>

int main(void)
{
	double v[3];
	int kinds[5] = {0};
	veer_make_symbolic(v, sizeof v, "v");
	for (int i = 0; i < 3; i++)
		switch (fpclassify(v[i])) {
		case FP_NAN: kinds[0]++; break;
		case FP_INFINITE: kinds[1]++; break;
		case FP_ZERO: kinds[2]++; break;
		case FP_SUBNORMAL: kinds[3]++; break;
		default: kinds[4]++;
		}
	if (kinds[0] && kinds[1] && kinds[3])
		puts("mixed");
	return kinds[4] == 3;
}
