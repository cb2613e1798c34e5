// Square roots by Newton's method.
#include <math.h>
#include <stdio.h>
#include <veer.h>

static double root(double x, int *rounds)
{
	double r = x;
	for (*rounds = 0; *rounds < 8; ++*rounds) {
		double next = 0.5 * (r + x / r);
		if (fabs(next - r) < 1e-6)
			return next;
		r = next;
	}
	return -1;
}

int main(void)
{
	double x;
	int rounds;
	veer_make_symbolic(&x, sizeof x, "x");
	if (!(x > 0))
		return 1;
	double r = root(x, &rounds);
	if (r < 0)
		puts("too slow");
	else if (rounds == 0)
		puts("at once");
	else if (rounds > 5)
		puts("slow");
	if (r > 1.414 && r < 1.4143)
		puts("of two");
	return 0;
}
