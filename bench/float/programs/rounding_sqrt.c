// How square roots are rounded.
#include <math.h>
#include <stdio.h>
#include <veer.h>

int main(void)
{
	double x;
	veer_make_symbolic(&x, sizeof x, "x");
	if (!(x >= 1 && x <= 100))
		return 1;
	double r = sqrt(x);
	if (r * r == x)
		puts("exact");
	else if (r * r < x)
		puts("too small");
	else
		puts("too large");
	if (r == floor(r) && r > 4)
		puts("a whole number");
	if (r > 7.071 && r < 7.0711)
		puts("about half of ten, turned");
	return 0;
}
