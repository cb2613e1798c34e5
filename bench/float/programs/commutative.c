// Sums do not depend on the order of two numbers, unless one is none.
#include <stdio.h>
#include <veer.h>

int main(void)
{
	double a, b;
	veer_make_symbolic(&a, sizeof a, "a");
	veer_make_symbolic(&b, sizeof b, "b");
	if (a + b != b + a) {
		if (a == a && b == b)
			puts("infinities");
		else
			puts("no number");
		return 1;
	}
	if (a + b == 0 && a != 0)
		puts("opposites");
	return 0;
}
