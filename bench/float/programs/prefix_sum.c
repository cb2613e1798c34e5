// Prefix sums, and what must hold of them.
#include <stdio.h>
#include <veer.h>

int main(void)
{
	double v[4], sum[5] = {0};
	veer_make_symbolic(v, sizeof v, "v");
	for (int i = 0; i < 4; i++) {
		if (!(v[i] >= 0 && v[i] <= 1e18))
			return 1;
		sum[i + 1] = sum[i] + v[i];
	}
	for (int i = 0; i < 4; i++)
		if (v[i] > 0 && sum[i + 1] == sum[i]) {
			puts("absorbed");
			return 2;
		}
	if (sum[4] == 10 && v[0] < v[1] && v[1] < v[2] && v[2] < v[3])
		puts("rising to ten");
	if (sum[4] - sum[2] != v[2] + v[3])
		puts("not exact");
	return 0;
}
