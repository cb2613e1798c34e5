// A loop that ends only for some numbers: steps that become too small to count.
#include <stdio.h>
#include <veer.h>

int main(void)
{
	float x, step;
	int n = 0;
	veer_make_symbolic(&x, sizeof x, "x");
	veer_make_symbolic(&step, sizeof step, "step");
	if (!(x >= 0 && x <= 1e9f) || !(step > 0 && step <= 1000))
		return 1;
	float end = x + 10 * step;
	while (x < end) {
		float next = x + step;
		if (next == x) {
			puts("stuck");
			return 2;
		}
		x = next;
		if (++n > 20)
			return 3;
	}
	if (n == 10)
		puts("ten");
	else if (n == 11)
		puts("eleven");
	return 0;
}
