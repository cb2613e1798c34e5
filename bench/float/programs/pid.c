// A controller with limits: what it comes to after some steps.
#include <math.h>
#include <stdio.h>
#include <veer.h>

int main(void)
{
	float gain, target, state = 0, sum = 0, last = 0;
	veer_make_symbolic(&gain, sizeof gain, "gain");
	veer_make_symbolic(&target, sizeof target, "target");
	if (!(gain >= 0 && gain <= 4) || !(target >= -100 && target <= 100))
		return 1;
	int limited = 0;
	for (int i = 0; i < 6; i++) {
		float error = target - state;
		sum += error * 0.1f;
		if (sum > 20)
			sum = 20;
		else if (sum < -20)
			sum = -20;
		float out = gain * error + 0.2f * sum + 0.05f * (error - last);
		last = error;
		if (out > 50) {
			out = 50;
			limited++;
		} else if (out < -50) {
			out = -50;
			limited++;
		}
		state += out * 0.5f;
	}
	if (fabsf(state - target) < 0.5f && fabsf(target) > 10)
		puts("settled");
	else if (fabsf(state) > 200)
		puts("unstable");
	if (limited == 6)
		puts("at its limits");
	return 0;
}
