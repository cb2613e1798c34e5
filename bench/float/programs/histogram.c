// Puts numbers into bins of equal size on a logarithmic scale.
#include <math.h>
#include <stdio.h>
#include <veer.h>

int main(void)
{
	double v[4];
	int bins[6] = {0}, outside = 0;
	veer_make_symbolic(v, sizeof v, "v");
	for (int i = 0; i < 4; i++) {
		double place = floor(log10(v[i]) + 1);
		if (!(place >= 0 && place < 6)) {
			outside++;
			continue;
		}
		bins[(int)place]++;
	}
	if (bins[0] && bins[5])
		puts("wide");
	if (bins[2] == 4)
		puts("tens");
	else if (bins[1] == 2 && bins[3] == 2)
		puts("two and two");
	if (outside == 4)
		puts("none");
	return 0;
}
