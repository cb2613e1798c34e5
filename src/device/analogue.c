#include "device/analogue.h"

#include <math.h>

#include "base/mem.h"
#include "base/random.h"

static const double two_pi = 6.283185307179586;

static double uniform(uint64_t *state)
{
	return ((double)(random_next(state) >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t *state)
{
	double r = sqrt(-2 * log(uniform(state)));
	return r * cos(two_pi * uniform(state));
}

// A slow wave of periods that do not depend on the length of the recording; between -1 and 1.
static double wave(double t, double phase)
{
	return 0.6 * sin(t * two_pi / 70000 + phase) + 0.4 * sin(t * two_pi / 11300 + 2.3 * phase);
}

// Two poles, one behind the other.
static void limit_band(float *v, size_t n, double band)
{
	double k = 1 - exp(-two_pi * band), a = n ? v[0] : 0, b = a;
	for (size_t i = 0; i < n; i++) {
		a += k * (v[i] - a);
		b += k * (a - b);
		v[i] = (float)b;
	}
}

static double power(const float *v, size_t n)
{
	double sum = 0, squares = 0;
	for (size_t i = 0; i < n; i++) {
		sum += v[i];
		squares += (double)v[i] * v[i];
	}
	return n ? squares / (double)n - sum / (double)n * (sum / (double)n) : 0;
}

float *analogue_apply(const struct analogue *a, const float *clean, size_t n, uint64_t *times, size_t n_times,
                      size_t *ret_n)
{
	uint64_t state = a->seed;
	double clock_phase = two_pi * uniform(&state), gain_phase = two_pi * uniform(&state), at = 0;
	size_t room = (size_t)((double)n * (1 + fabs(a->offset) + a->drift + 1e-3)) + 16, out = 0, next = 0;
	float *v = mem_alloc((room + 1) * sizeof *v);
	for (; at < (double)n && out < room; out++) {
		for (; next < n_times && (double)times[next] <= at; next++)
			times[next] = out;
		double seen = at + a->jitter * normal(&state);
		seen = seen<0 ? 0 : seen>(double) n - 1 ? (double)n - 1 : seen;
		size_t i = (size_t)seen;
		double part = seen - (double)i;
		v[out] = (float)(clean[i] * (1 - part) + clean[i + 1 < n ? i + 1 : i] * part);
		at += 1 + a->offset + a->drift * wave((double)out, clock_phase);
	}
	for (; next < n_times; next++)
		times[next] = out;
	if (a->band > 0)
		limit_band(v, out, a->band);
	double sigma = sqrt(power(v, out) / pow(10, a->snr / 10));
	for (size_t i = 0; i < out; i++)
		v[i] = (float)(v[i] * (1 + a->gain * wave((double)i * 0.37, gain_phase)) + sigma * normal(&state));
	*ret_n = out;
	return v;
}
