// Is a point inside of a polygon?
#include <stdio.h>
#include <veer.h>

int main(void)
{
	static const double xs[] = {0, 4, 5, 2, -1}, ys[] = {0, 0, 3, 5, 3};
	double p[2];
	int inside = 0, edge = 0;
	veer_make_symbolic(p, sizeof p, "p");
	for (int i = 0, j = 4; i < 5; j = i++) {
		double cross = (xs[i] - xs[j]) * (p[1] - ys[j]) - (ys[i] - ys[j]) * (p[0] - xs[j]);
		if (cross == 0)
			edge++;
		if ((ys[i] > p[1]) != (ys[j] > p[1]) &&
		    p[0] < (xs[j] - xs[i]) * (p[1] - ys[i]) / (ys[j] - ys[i]) + xs[i])
			inside = !inside;
	}
	if (edge == 2)
		puts("a corner");
	else if (edge)
		puts("on a line");
	else if (inside)
		puts("inside");
	else
		puts("outside");
	return 0;
}
