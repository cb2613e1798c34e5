// A filter over samples of 16 bits, with levels that its output is compared with.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <veer.h>

int main(void)
{
	static const float taps[] = {0.1f, 0.25f, 0.3f, 0.25f, 0.1f};
	int16_t samples[10];
	float peak = 0, energy = 0;
	int clipped = 0;
	veer_make_symbolic(samples, sizeof samples, "samples");
	for (int i = 4; i < 10; i++) {
		float sum = 0;
		for (int k = 0; k < 5; k++)
			sum += taps[k] * samples[i - k] / 32768;
		if (fabsf(sum) > peak)
			peak = fabsf(sum);
		if (sum > 0.95f)
			clipped++;
		energy += sum * sum;
	}
	if (clipped > 2)
		puts("clipped");
	if (peak < 0.01f && energy > 0)
		puts("quiet");
	if (energy > 2 && energy < 2.1f)
		puts("loud");
	return 0;
}
