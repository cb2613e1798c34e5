#include "infer/stateless.h"

#include <fftw3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum {
	LONGEST = 1024, // what of a window is compared
	BLOCK = 4096,   // samples of a transform
	STEP = BLOCK - LONGEST,
	SHIFT = 2, // a segment may begin that much earlier or later than the one before says
	HOP = 4,
};

struct matcher {
	const struct model *m;
	struct recording *r;
	float *in, *out;                             // of BLOCK samples
	fftwf_complex *spectrum, *product, *windows; // windows: of each, BLOCK / 2 + 1
	fftwf_plan forward, back;
	double *sums, *squares; // prefixes of the block
	float *best;            // of each of its first STEP places: the highest correlation
	uint32_t *which;        // and the window
	struct length *order;   // windows, those of one length together
	float *scale;           // of each place: what makes a product a correlation, for windows of one length
	uint64_t at;            // the block begins there; UINT64_MAX: there is none
};

struct length {
	uint32_t n, window;
};

static uint32_t compared(const struct model_window *w)
{
	return w->n < LONGEST ? w->n : LONGEST;
}

static int by_length(const void *a, const void *b)
{
	const struct length *x = a, *y = b;
	if (x->n != y->n)
		return x->n < y->n ? -1 : 1;
	return x->window < y->window ? -1 : x->window > y->window;
}

// A window's spectrum, of mean 0 and length 1.
static void transform_window(struct matcher *x, uint32_t k)
{
	const struct model_window *w = &x->m->windows[k];
	uint32_t n = compared(w);
	double sum = 0, squares = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += w->mean[i];
	for (uint32_t i = 0; i < n; i++)
		squares += (w->mean[i] - sum / n) * (w->mean[i] - sum / n);
	memset(x->in, 0, BLOCK * sizeof *x->in);
	for (uint32_t i = 0; i < n && squares > 0; i++)
		x->in[i] = (float)((w->mean[i] - sum / n) / sqrt(squares));
	fftwf_execute(x->forward);
	memcpy(x->windows + (size_t)k * (BLOCK / 2 + 1), x->spectrum, (BLOCK / 2 + 1) * sizeof *x->spectrum);
}

static void start(struct matcher *x)
{
	size_t half = BLOCK / 2 + 1;
	x->in = fftwf_alloc_real(BLOCK);
	x->out = fftwf_alloc_real(BLOCK);
	x->spectrum = fftwf_alloc_complex(half);
	x->product = fftwf_alloc_complex(half);
	x->windows = fftwf_alloc_complex(half * (x->m->n_windows + 1));
	if (!x->in || !x->out || !x->spectrum || !x->product || !x->windows)
		mem_exhausted();
	x->forward = fftwf_plan_dft_r2c_1d(BLOCK, x->in, x->spectrum, FFTW_ESTIMATE);
	x->back = fftwf_plan_dft_c2r_1d(BLOCK, x->product, x->out, FFTW_ESTIMATE);
	x->sums = mem_zero((BLOCK + 1) * sizeof *x->sums);
	x->squares = mem_zero((BLOCK + 1) * sizeof *x->squares);
	x->best = mem_zero(STEP * sizeof *x->best);
	x->which = mem_zero(STEP * sizeof *x->which);
	x->at = UINT64_MAX;
	x->scale = mem_zero(STEP * sizeof *x->scale);
	x->order = mem_zero((x->m->n_windows + 1) * sizeof *x->order);
	for (uint32_t k = 0; k < x->m->n_windows; k++) {
		transform_window(x, k);
		x->order[k] = (struct length){compared(&x->m->windows[k]), k};
	}
	qsort(x->order, x->m->n_windows, sizeof *x->order, by_length);
}

static void stop(struct matcher *x)
{
	fftwf_destroy_plan(x->forward);
	fftwf_destroy_plan(x->back);
	fftwf_free(x->in);
	fftwf_free(x->out);
	fftwf_free(x->spectrum);
	fftwf_free(x->product);
	fftwf_free(x->windows);
	mem_free(x->sums);
	mem_free(x->squares);
	mem_free(x->best);
	mem_free(x->which);
	mem_free(x->order);
	mem_free(x->scale);
}

// For windows of n samples; 0 where nothing changes.
static void scale_for(struct matcher *x, uint32_t n)
{
	for (size_t i = 0; i < STEP; i++) {
		const double sum = x->sums[i + n] - x->sums[i], squares = x->squares[i + n] - x->squares[i];
		const double length = squares - sum * sum / n;
		x->scale[i] = length < 1e-12 ? 0 : (float)(1 / (BLOCK * sqrt(length)));
	}
}

static void match_window(struct matcher *x, uint32_t k, size_t there)
{
	const fftwf_complex *w = x->windows + (size_t)k * (BLOCK / 2 + 1);
	for (size_t i = 0; i < BLOCK / 2 + 1; i++) { // times the conjugate
		x->product[i][0] = x->spectrum[i][0] * w[i][0] + x->spectrum[i][1] * w[i][1];
		x->product[i][1] = x->spectrum[i][1] * w[i][0] - x->spectrum[i][0] * w[i][1];
	}
	fftwf_execute(x->back);
	for (size_t i = 0; i < there; i++) {
		const float c = x->out[i] * x->scale[i];
		const bool better = c > x->best[i];
		x->best[i] = better ? c : x->best[i];
		x->which[i] = better ? k : x->which[i];
	}
}

// What is behind the recording's end is 0.
static void match_block(struct matcher *x, uint64_t at)
{
	size_t n = recording_read(x->r, at, BLOCK, x->in);
	double mean = 0;
	for (size_t i = 0; i < n; i++)
		mean += x->in[i] / (double)n;
	for (size_t i = 0; i < BLOCK; i++) {
		x->in[i] = i < n ? (float)(x->in[i] - mean) : 0;
		x->sums[i + 1] = x->sums[i] + x->in[i];
		x->squares[i + 1] = x->squares[i] + (double)x->in[i] * x->in[i];
	}
	fftwf_execute(x->forward);
	memset(x->best, 0, STEP * sizeof *x->best);
	for (uint32_t k = 0; k < x->m->n_windows; k++) {
		if (!k || x->order[k].n != x->order[k - 1].n)
			scale_for(x, x->order[k].n);
		match_window(x, x->order[k].window, n < STEP ? n : STEP);
	}
	x->at = at;
}

static float best_at(struct matcher *x, uint64_t at, uint32_t *which)
{
	if (x->at == UINT64_MAX || at < x->at || at >= x->at + STEP)
		match_block(x, at > SHIFT ? at - SHIFT : 0);
	*which = x->which[at - x->at];
	return x->best[at - x->at];
}

void stateless_infer(const struct model *m, struct recording *r, float least, path_sink sink, void *opaque)
{
	struct matcher x = {.m = m, .r = r};
	uint64_t unknown = UINT64_MAX, end = 0;
	start(&x);
	for (uint64_t at = 0; at < r->n;) {
		uint64_t from = at > end + SHIFT || at < SHIFT ? at : at - SHIFT, to = at + SHIFT, begin = at;
		float best = 0;
		uint32_t which = 0, w;
		for (uint64_t k = from; k <= to && k < r->n; k++) {
			float c = best_at(&x, k, &w);
			if (c > best) {
				best = c;
				which = w;
				begin = k;
			}
		}
		if (best < least) {
			unknown = unknown == UINT64_MAX ? at : unknown;
			at += HOP;
			continue;
		}
		if (unknown != UINT64_MAX)
			sink(opaque, &(struct path_segment){unknown, begin, MODEL_NONE, 0});
		const struct model_template *t = &m->templates[m->windows[which].template];
		unknown = UINT64_MAX;
		end = at = begin + t->n;
		sink(opaque, &(struct path_segment){begin, end, t->segment, best});
	}
	if (unknown != UINT64_MAX)
		sink(opaque, &(struct path_segment){unknown, r->n, MODEL_NONE, 0});
	stop(&x);
}
