// A term that is too small to change a sum.
#include <stdio.h>
#include <veer.h>

int main(void)
{
	float a, b;
	veer_make_symbolic(&a, sizeof a, "a");
	veer_make_symbolic(&b, sizeof b, "b");
	if (!(a > 0) || !(b > 0))
		return 1;
	if (a + b == a) {
		puts("vanishes");
		if (b > 1)
			puts("although it is above one");
	}
	if (a + b == b && b < 1000)
		puts("the other one");
	if ((a + b) - a != b && a < 10 && b < 10)
		puts("in part");
	return 0;
}
