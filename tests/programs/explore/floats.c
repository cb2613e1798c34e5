// Floating point.
// domain: objects 2
// paths: 5
#include <klee/klee.h>

int main(void)
{
	signed char in[2];
	klee_make_symbolic(in, sizeof in, "in");
	double x = in[0] * 0.25, y = in[1];
	if (x + y == 10.5)
		return 1;
	if (x * y > 1000)
		return 2;
	if (x < -30 && (int)y == 5)
		return 3;
	return 0;
}
