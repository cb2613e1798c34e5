#include <math.h>
#include <string.h>

#include "infer/decode_internal.h"

enum { FIRST = 65536 }; // samples that the gain is first taken from

// Mean and variance of the recording's beginning.
static void look_ahead(struct input *in)
{
	double sum = 0, squares = 0;
	uint64_t n = 0;
	float v[INPUT];
	for (size_t got; n < FIRST && (got = recording_read(in->r, n, INPUT, v)) > 0; n += got)
		for (size_t i = 0; i < got; i++) {
			sum += v[i];
			squares += (double)v[i] * v[i];
		}
	double mean = sum / (double)n, variance = squares / (double)n - mean * mean;
	in->first_mean = mean;
	in->first_variance = variance;
}

void input_spread(struct input *in, double variance)
{
	in->variance = variance;
	in->log_variance = log(variance) / 2;
}

void input_assume(struct input *in, const struct model *m, double noise)
{
	input_spread(in, m->variance + (noise - 1) * m->residual);
	in->gain = in->first_variance > 0 ? sqrt(in->variance / in->first_variance) : 1;
	in->offset = m->mean - in->first_mean * in->gain;
}

void input_start(struct input *in, const struct model *m, struct recording *r, uint64_t limit)
{
	in->limit = limit;
	in->r = r;
	in->step = m->rate > 0 && r->rate > 0 ? r->rate / m->rate : 1;
	in->mean = m->mean;
	look_ahead(in);
	input_assume(in, m, 1);
}

// The recording between its samples: a cubic through four of them (Catmull-Rom).
static bool sample_at(struct input *in, double at, float *ret)
{
	uint64_t whole = (uint64_t)at, from = whole ? whole - 1 : 0;
	if (whole >= in->limit)
		return false;
	if (from < in->raw_at || whole + 2 >= in->raw_at + in->raw_n) {
		in->raw_at = from;
		in->raw_n = recording_read(in->r, from, INPUT, in->raw);
	}
	double part = at - (double)whole, v[4];
	for (int k = 0; k < 4; k++) {
		uint64_t i = whole + (uint64_t)k;
		i = i ? i - 1 : 0;
		i = i < in->r->n ? i : in->r->n - 1;
		v[k] = in->raw[i - in->raw_at];
	}
	if (part == 0) {
		*ret = (float)v[1];
		return true;
	}
	double a = v[3] - 3 * v[2] + 3 * v[1] - v[0], b = 2 * v[0] - 5 * v[1] + 4 * v[2] - v[3], c = v[2] - v[0];
	*ret = (float)(v[1] + part / 2 * (c + part * (b + part * a)));
	return true;
}

void input_fill(struct input *in, uint64_t upto)
{
	float raw;
	for (; in->n < upto && !in->ended; in->n++) {
		if (!sample_at(in, in->at, &raw)) {
			in->ended = true;
			return;
		}
		size_t k = in->n % RING;
		float z = (float)(raw * in->gain + in->offset);
		in->z[k] = z;
		if (k < MODEL_LENGTH)
			in->z[RING + k] = z;
		in->place[k] = in->at;
		in->background[k] = in->sum;
		double d = z - in->mean;
		in->sum += d * d / in->variance / 2 + in->log_variance;
		in->background[(k + 1) % RING] = in->sum;
		in->at += in->step;
	}
}

uint64_t input_place(const struct input *in, uint64_t number)
{
	return number < in->n ? (uint64_t)(in->place[number % RING] + 0.5) : in->limit;
}
