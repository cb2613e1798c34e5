// Fails for floats in an object, a struct and an array.
#include <math.h>
#include <stdlib.h>
#include <veer.h>

int main(void)
{
	double x = 1.5;
	struct {
		float a, b;
	} pair = {1, 2};
	veer_make_symbolic(&x, sizeof x, "x");
	veer_make_symbolic(&pair, sizeof pair, "pair");
	if (x == 1e23 && pair.a == 0.1f && pair.b / 3 == 0.5f)
		abort();
	return 0;
}
