// Two clusters of points on a line.
#include <math.h>
#include <stdio.h>
#include <veer.h>

int main(void)
{
	float p[5];
	veer_make_symbolic(p, sizeof p, "p");
	for (int i = 0; i < 5; i++)
		if (!(p[i] >= -100 && p[i] <= 100))
			return 1;
	float a = p[0], b = p[4];
	int members = 0, rounds;
	for (rounds = 0; rounds < 4; rounds++) {
		float sum_a = 0, sum_b = 0;
		int n = 0;
		for (int i = 0; i < 5; i++)
			if (fabsf(p[i] - a) <= fabsf(p[i] - b)) {
				sum_a += p[i];
				n++;
			} else {
				sum_b += p[i];
			}
		float next_a = n ? sum_a / n : a, next_b = n < 5 ? sum_b / (5 - n) : b;
		if (next_a == a && next_b == b)
			break;
		a = next_a;
		b = next_b;
		members = n;
	}
	if (members == 1 && rounds > 1)
		puts("one alone");
	if (rounds > 2)
		puts("slow");
	if (b - a > 50 && members == 3)
		puts("far apart");
	return 0;
}
