#include "infer/decode.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "infer/decode_internal.h"

enum {
	GRID = 16,     // "not in the model" is looked at so often
	COMMIT = 4096, // samples between times at which paths become known
	PREFIX = 48,   // of a segment, when it is looked for
	ENTRIES = 12,  // places where the model is entered again
	TARGETS = 64,  // of a call or return that may lead to many
	CROWD = 24,    // hypotheses that are followed from one time
};

static const double beam = 30; // what is that much worse than the best is given up
static const double unknown_price = 14, enter_price = 8,
		    grid_price = 0.3; // of leaving the model, of coming back, of staying
static const double near_best = 4;    // as close to the best, "not in the model" looks where it may come back
static const double slip_price = 5;   // of a segment that is a sample longer or shorter

// --- what calls and returns lead to ------------------------------------------------------------

static bool add_target(struct targets *t, uint32_t marker)
{
	for (size_t i = 0; i < t->v.n; i++)
		if (t->v.v[i] == marker)
			return false;
	if (t->v.n < TARGETS)
		vec_push(&t->v, marker);
	return t->v.n < TARGETS;
}

static void find_targets(struct decoder *d)
{
	const struct model *m = d->m;
	d->returns = mem_zero((m->n_functions + 1) * sizeof *d->returns);
	for (uint32_t f = 0; f < m->n_functions; f++)
		if (m->functions[f].taken)
			add_target(&d->taken, m->functions[f].entry);
	for (bool more = true; more;) { // who leaves for another function returns where that one does
		more = false;
		for (uint32_t i = 0; i < m->n_calls; i++) {
			const struct model_call *c = &m->calls[i];
			const struct targets *own = &d->returns[c->caller];
			for (uint32_t f = 0; f < m->n_functions; f++) {
				if (c->callee == MODEL_NONE ? !m->functions[f].taken : c->callee != f)
					continue;
				if (c->after != MODEL_NONE)
					more |= add_target(&d->returns[f], c->after);
				for (size_t k = 0; c->after == MODEL_NONE && own != &d->returns[f] && k < own->v.n; k++)
					more |= add_target(&d->returns[f], own->v.v[k]);
			}
		}
	}
}

static void find_priors(struct decoder *d)
{
	const struct model *m = d->m;
	d->priors = mem_zero((m->n_segments + 1) * sizeof *d->priors);
	for (uint32_t k = 0; k < m->n_markers; k++) {
		double all = 0;
		for (uint32_t s = m->markers[k].first; s < m->markers[k].end; s++)
			all += m->segments[s].seen + 0.5;
		for (uint32_t s = m->markers[k].first; s < m->markers[k].end; s++)
			d->priors[s] = (float)(log((m->segments[s].seen + 0.5) / all) / 2);
	}
}

void decode_noise(struct decoder *d, double noise)
{
	d->noise = noise;
	d->log_noise = log(noise) / 2;
}

// --- hypotheses --------------------------------------------------------------------------------

// The hypothesis' trace, which is made now if it is pending.
static uint32_t trace_of(struct decoder *d, const struct hypothesis *h)
{
	if (h->trace != TRACE_PENDING)
		return h->trace;
	if (!d->pending_made)
		d->pending_made = decode_traces_add(&d->traces, &d->pending);
	return d->pending_made;
}

// Whether another one stands there, and then, that is as good.
static bool is_worse(const struct decoder *d, uint64_t at, const struct hypothesis *h)
{
	const struct bucket *b = bucket_of(d, at);
	for (size_t i = 0; i < b->v.n; i++)
		if (b->v.v[i].marker == h->marker && b->v.v[i].stack == h->stack && b->v.v[i].score >= h->score)
			return true;
	return h->score < b->best - beam;
}

// Takes over one use of the trace.
static void add(struct decoder *d, uint64_t at, const struct hypothesis *h)
{
	struct bucket *b = bucket_of(d, at);
	assert(at >= d->at && at < d->at + BUCKETS);
	for (size_t i = 0; i < b->v.n; i++) {
		struct hypothesis *o = &b->v.v[i];
		if (o->marker != h->marker || o->stack != h->stack)
			continue;
		if (o->score >= h->score) {
			decode_traces_drop(&d->traces, h->trace);
		} else {
			decode_traces_drop(&d->traces, o->trace);
			*o = *h;
		}
		return;
	}
	vec_push(&b->v, *h);
}

// The best that passes by between two times, of what scores so at them.
static void note_best(struct decoder *d, uint64_t from, uint64_t to, double before, double behind)
{
	if (behind <= bucket_of(d, to)->best)
		return;
	double slope = (behind - before) / (double)(to - from);
	for (uint64_t at = from + 1; at <= to; at++) {
		struct bucket *b = bucket_of(d, at);
		double score = before + slope * (double)(at - from);
		b->best = score > b->best ? score : b->best;
	}
}

// --- segments ----------------------------------------------------------------------------------

double decode_squares(const float *z, const float *mean, const float *weight, uint32_t n)
{
	float sum[8] = {0};
	uint32_t i = 0;
	for (; i + 8 <= n; i += 8)
		for (int k = 0; k < 8; k++)
			sum[k] += (z[i + k] - mean[i + k]) * (z[i + k] - mean[i + k]) * weight[i + k];
	for (; i < n; i++)
		sum[0] += (z[i] - mean[i]) * (z[i] - mean[i]) * weight[i];
	return sum[0] + sum[1] + sum[2] + sum[3] + sum[4] + sum[5] + sum[6] + sum[7];
}

// How much likelier the first n samples are as those of the template. -INFINITY: it falls behind the best on the way.
static double likelihood(const struct decoder *d, const struct model_template *t, uint64_t at, uint32_t n, double score)
{
	enum { PART = 32 };
	const float *z = d->in->z + at % RING;
	const double each = t->each - d->log_noise, half = 0.5 / d->noise;
	double sum = 0, l = 0;
	for (uint32_t k = 0; k < n;) {
		uint32_t part = n - k < PART ? n - k : PART;
		sum += decode_squares(z + k, t->mean + k, t->weight + k, part);
		k += part;
		l = input_background(d->in, at, at + k) + each * k - sum * half;
		if (score + l < bucket_of(d, at + k)->best - beam)
			return -INFINITY;
	}
	return l;
}

// The recording ends within what begins at `begin`.
static void note_last(struct decoder *d, const struct hypothesis *h, uint32_t template, uint64_t begin, double score)
{
	if (d->last.trace && d->last.score >= score)
		return;
	decode_traces_drop(&d->traces, d->last.trace);
	d->last = *h;
	d->last.score = score;
	d->last.trace = decode_traces_add(
		&d->traces,
		&(struct trace){.parent = trace_of(d, h), .template = template, .begin = begin, .end = d->in->n});
}

// At the grid's next time it is not in the model.
static void lose(struct decoder *d, uint64_t at, const struct hypothesis *h)
{
	uint64_t grid = (at + GRID - 1) / GRID * GRID;
	struct hypothesis next = {.score = h->score - unknown_price, .marker = MODEL_NONE};
	if (grid >= d->in->n) {
		note_last(d, h, MODEL_NONE, at, next.score);
		return;
	}
	if (is_worse(d, grid, &next))
		return;
	const uint32_t from = trace_of(d, h);
	next.trace =
		grid == at ? decode_traces_use(&d->traces, from)
			   : decode_traces_add(
				     &d->traces,
				     &(struct trace){.parent = from, .template = MODEL_NONE, .begin = at, .end = grid});
	add(d, grid, &next);
}

static void add_at(struct decoder *d, uint64_t at, struct hypothesis *h, uint32_t marker)
{
	const struct model_marker *k = &d->m->markers[marker];
	h->marker = marker;
	if (k->first == k->end) { // training saw nothing there
		lose(d, at, h);
		return;
	}
	if (is_worse(d, at, h))
		return;
	struct hypothesis own = *h;
	own.trace = decode_traces_use(&d->traces, trace_of(d, h));
	add(d, at, &own);
}

// Where control is behind a segment; up to TARGETS hypotheses.
static void add_behind(struct decoder *d, uint64_t at, const struct model_segment *s, const struct hypothesis *h)
{
	const struct targets *many = NULL;
	const struct model *m = d->m;
	struct hypothesis next = *h;
	if (s->how == MODEL_TO_MARKER) {
		add_at(d, at, &next, s->next);
	} else if (s->how == MODEL_CALLS || s->how == MODEL_LEAVES) {
		if (s->how == MODEL_CALLS && s->after != MODEL_NONE)
			next.stack = stacks_push(&d->stacks, h->stack, s->after);
		if (s->next != MODEL_NONE)
			add_at(d, at, &next, m->functions[s->next].entry);
		else
			many = &d->taken;
	}
	if (s->how == MODEL_STOPS || (many && !many->v.n))
		lose(d, at, h);
	for (size_t i = 0; many && i < many->v.n; i++)
		add_at(d, at, &next, many->v.v[i]);
	if (s->how != MODEL_RETURNS && !s->may_leave)
		return;
	next = *h;
	if (h->stack) {
		next.stack = d->stacks.v.v[h->stack].below;
		add_at(d, at, &next, d->stacks.v.v[h->stack].marker);
		return;
	}
	many = &d->returns[m->markers[s->marker].function];
	for (size_t i = 0; i < many->v.n; i++)
		add_at(d, at, &next, many->v.v[i]);
	if (!many->v.n)
		lose(d, at, h);
}

static void end_segment(struct decoder *d, const struct hypothesis *h, uint32_t template, double score)
{
	const struct model_template *t = &d->m->templates[template];
	uint64_t end = d->at + t->n;
	note_best(d, d->at, end, h->score, score);
	for (int slip = -1; slip <= 1; slip++) {
		if (t->n + slip == 0)
			continue;
		struct hypothesis next = {.score = score - (slip ? slip_price : 0), .stack = h->stack};
		next.trace = TRACE_PENDING;
		d->pending_made = 0;
		d->pending = (struct trace){.parent = h->trace,
		                            .template = template,
		                            .slip = slip,
		                            .begin = d->at,
		                            .end = end + (uint64_t)(int64_t)slip};
		add_behind(d, end + (uint64_t)(int64_t)slip, &d->m->segments[t->segment], &next);
		decode_traces_drop(&d->traces, d->pending_made);
	}
}

static void expand(struct decoder *d, const struct hypothesis *h)
{
	const struct model *m = d->m;
	const struct model_marker *k = &m->markers[h->marker];
	d->counts->expanded++;
	for (uint32_t s = k->first; s < k->end; s++) {
		const double prior = d->priors[s];
		for (uint32_t t = m->segments[s].first; t < m->segments[s].end; t++) {
			uint64_t left = d->in->n - d->at;
			uint32_t n = m->templates[t].n;
			bool whole = n < left;
			double l = likelihood(d, &m->templates[t], d->at, whole ? n : (uint32_t)left, h->score + prior);
			if (l == -INFINITY)
				continue;
			if (whole)
				end_segment(d, h, t, h->score + prior + l);
			else
				note_last(d, h, t, d->at, h->score + prior + l);
		}
	}
}

// --- not in the model --------------------------------------------------------------------------

struct entry {
	double score;
	uint64_t at;
	uint32_t marker;
};

// Looks at all segments, at all times until the grid's next one.
static void enter_model(struct decoder *d, const struct hypothesis *h)
{
	const struct model *m = d->m;
	struct entry best[ENTRIES];
	int n = 0;
	d->counts->entered++;
	for (uint32_t t = 0; t < m->n_templates; t++) {
		const struct model_template *w = &m->templates[t];
		uint32_t prefix = w->n < PREFIX ? w->n : PREFIX;
		const double each = w->each - d->log_noise;
		struct entry e = {-INFINITY, 0, m->segments[w->segment].marker};
		for (uint64_t at = d->at; at < d->at + GRID && at + prefix < d->in->n; at++) {
			double l = input_background(d->in, at, at + prefix) + each * prefix -
			           decode_squares(d->in->z + at % RING, w->mean, w->weight, prefix) / d->noise / 2;
			if (l > e.score)
				e.score = l, e.at = at;
		}
		if (e.score <= enter_price)
			continue;
		int i = 0;
		while (i < n && (best[i].marker != e.marker || best[i].at != e.at))
			i++;
		if (i < n) {
			best[i].score = e.score > best[i].score ? e.score : best[i].score;
			continue;
		}
		if (n < ENTRIES) {
			best[n++] = e;
			continue;
		}
		for (int k = i = 0; k < n; k++)
			i = best[k].score < best[i].score ? k : i;
		if (best[i].score < e.score)
			best[i] = e;
	}
	for (int i = 0; i < n; i++) {
		struct hypothesis next = {.score = h->score - enter_price, .marker = best[i].marker};
		next.trace = h->trace ? decode_traces_use(&d->traces, h->trace) : 0;
		if (best[i].at > d->at) {
			uint32_t trace = decode_traces_add(&d->traces, &(struct trace){.parent = h->trace,
			                                                               .template = MODEL_NONE,
			                                                               .begin = d->at,
			                                                               .end = best[i].at});
			decode_traces_drop(&d->traces, next.trace);
			next.trace = trace;
		}
		if (best[i].at == d->at)
			vec_push(&bucket_of(d, d->at)->v, next);
		else
			add(d, best[i].at, &next);
	}
}

static void stay_unknown(struct decoder *d, const struct hypothesis *h)
{
	struct hypothesis next = {.score = h->score - grid_price, .marker = MODEL_NONE};
	uint64_t until = d->at + GRID;
	if (until >= d->in->n) {
		note_last(d, h, MODEL_NONE, d->at, next.score);
		return;
	}
	next.trace = decode_traces_add(
		&d->traces, &(struct trace){.parent = h->trace, .template = MODEL_NONE, .begin = d->at, .end = until});
	note_best(d, d->at, until, h->score, next.score);
	add(d, until, &next);
}

static int by_score(const void *a, const void *b)
{
	const struct hypothesis *x = a, *y = b;
	return x->score != y->score ? (x->score > y->score ? -1 : 1) : 0;
}

// Where nothing tells hypotheses apart there would be ever more of them.
static void thin_out(struct decoder *d, struct bucket *b)
{
	if (b->v.n <= CROWD)
		return;
	qsort(b->v.v, b->v.n, sizeof *b->v.v, by_score);
	while (b->v.n > CROWD) {
		struct hypothesis h = vec_pop(&b->v);
		decode_traces_drop(&d->traces, h.trace);
	}
}

static void step(struct decoder *d, uint64_t *left)
{
	struct bucket *b = bucket_of(d, d->at);
	thin_out(d, b);
	struct hypothesis best = {.score = -INFINITY};
	for (size_t i = 0; i < b->v.n; i++) // those that enter the model here are added meanwhile
		if (b->v.v[i].marker == MODEL_NONE) {
			struct hypothesis h = b->v.v[i];
			if (h.score >= b->best - near_best)
				enter_model(d, &h);
			if (h.score >= b->best - beam)
				stay_unknown(d, &h);
		}
	for (size_t i = 0; i < b->v.n; i++) {
		struct hypothesis h = b->v.v[i];
		if (h.marker == MODEL_NONE || h.score < b->best - beam)
			continue;
		expand(d, &h);
		if (h.score > best.score)
			best = h;
	}
	uint64_t grid = (d->at + GRID - 1) / GRID * GRID;
	if (best.trace && best.score >= b->best - near_best && grid > *left && grid > d->at) {
		lose(d, d->at, &best);
		*left = grid;
	}
	for (size_t i = 0; i < b->v.n; i++)
		decode_traces_drop(&d->traces, b->v.v[i].trace);
	vec_clear(&b->v);
	b->best = -INFINITY;
}

static void release(struct decoder *d)
{
	for (int i = 0; i < BUCKETS; i++)
		vec_release(&d->buckets[i].v);
	for (uint32_t f = 0; f < d->m->n_functions; f++)
		vec_release(&d->returns[f].v);
	vec_release(&d->taken.v);
	vec_release(&d->traces.v);
	stacks_release(&d->stacks);
	mem_free(d->returns);
	mem_free(d->priors);
	mem_free(d->buckets);
	mem_free(d->in);
}

enum {
	REHEARSAL = 12288,      // samples that the beginning is decoded for, with each level of noise
	REHEARSAL_LEAST = 4096, // of short recordings, of which these would be most of the work
	REHEARSAL_PART = 24,
	NOISE_MOST = 4, // times the signal
};

struct tuning { // to a recording
	double noise;
	bool known; // and the rest
	double gain, offset, step;
	double score; // of the samples that were decoded
};

static void tune(struct decoder *d, const struct tuning *t)
{
	decode_noise(d, t->noise);
	input_assume(d->in, d->m, t->noise);
	if (!t->known)
		return;
	d->in->gain = t->gain;
	d->in->offset = t->offset;
	d->in->step = t->step;
}

// Decodes the samples before `limit`.
static void decode(const struct model *m, struct recording *r, uint64_t limit, struct tuning *tuning, path_sink sink,
                   void *opaque, struct decode_counts *counts)
{
	struct decoder d = {.m = m, .sink = sink, .opaque = opaque, .counts = counts};
	uint64_t settled = 0, left = 0;
	d.unknown.segment = MODEL_NONE;
	*counts = (struct decode_counts){0};
	d.in = mem_zero(sizeof *d.in);
	d.buckets = mem_zero(BUCKETS * sizeof *d.buckets);
	for (int i = 0; i < BUCKETS; i++)
		d.buckets[i].best = -INFINITY;
	input_start(d.in, m, r, limit);
	tune(&d, tuning);
	find_targets(&d);
	find_priors(&d);
	vec_push(&d.traces.v, (struct trace){0});
	vec_push(&d.buckets[0].v, (struct hypothesis){.marker = MODEL_NONE});
	d.buckets[0].best = 0;
	for (;; d.at++) {
		input_fill(d.in, d.at + AHEAD);
		if (d.at >= d.in->n)
			break;
		if (d.at >= settled + COMMIT) {
			decode_settle(&d);
			settled = d.at;
		}
		step(&d, &left);
	}
	if (d.last.trace)
		decode_commit(&d, d.last.trace, UINT64_MAX);
	decode_give_unknown(&d);
	*tuning = (struct tuning){d.noise, true, d.in->gain, d.in->offset, d.in->step, d.last.score};
	counts->samples = d.in->n;
	counts->clock = (float)(d.in->step * (m->rate > 0 && r->rate > 0 ? m->rate / r->rate : 1));
	release(&d);
}

static void nowhere(void *opaque, const struct path_segment *s)
{
}

// The beginning is decoded for several levels of noise; the one under which it is likeliest is taken for the whole.
void decode_infer(const struct model *m, struct recording *r, path_sink sink, void *opaque,
                  struct decode_counts *counts)
{
	static const double levels[] = {1, 3, 10, 30, 100, 300};
	struct tuning best = {0};
	const uint64_t part = r->n / REHEARSAL_PART, most = part < REHEARSAL_LEAST ? REHEARSAL_LEAST
	                                                    : part < REHEARSAL     ? part
	                                                                           : REHEARSAL;
	for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
		if (levels[i] > 1 && levels[i] * m->residual > NOISE_MOST * (m->variance - m->residual))
			break; // nobody could tell segments apart
		struct tuning t = {.noise = levels[i]};
		decode(m, r, r->n < most ? r->n : most, &t, nowhere, NULL, counts);
		if (!best.known || t.score > best.score)
			best = t;
	}
	decode(m, r, r->n, &best, sink, opaque, counts);
}
