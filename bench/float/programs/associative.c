// Sums depend on how they are grouped.
#include <stdio.h>
#include <veer.h>

int main(void)
{
	double a, b, c;
	veer_make_symbolic(&a, sizeof a, "a");
	veer_make_symbolic(&b, sizeof b, "b");
	veer_make_symbolic(&c, sizeof c, "c");
	if (!(a >= -1e6 && a <= 1e6 && b >= -1e6 && b <= 1e6 && c >= -1e6 && c <= 1e6))
		return 1;
	double left = (a + b) + c, right = a + (b + c);
	if (left < right)
		puts("smaller");
	else if (left > right)
		puts("larger");
	else if (left == 42)
		puts("the same, and 42");
	return 0;
}
