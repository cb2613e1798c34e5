// Decoding: what of the path is known, how sure it is, and what it says of gain, noise and clock.
#include <math.h>

#include "infer/decode_internal.h"

void decode_give_unknown(struct decoder *d)
{
	if (d->has_unknown && d->unknown.end > d->unknown.begin)
		d->sink(d->opaque, &d->unknown);
	d->has_unknown = false;
}

static void give(struct decoder *d, const struct path_segment *s)
{
	if (s->segment == MODEL_NONE) { // what follows may go on with it
		d->unknown.begin = d->has_unknown ? d->unknown.begin : s->begin;
		d->unknown.end = s->end;
		d->has_unknown = true;
		return;
	}
	decode_give_unknown(d);
	d->sink(d->opaque, s);
}

// How likely the segment is among those that could have begun where it did, and no segment at all.
static float confidence(const struct decoder *d, const struct trace *x)
{
	const struct model *m = d->m;
	const struct model_template *own = &m->templates[x->template];
	const struct model_marker *k = &m->markers[m->segments[own->segment].marker];
	uint32_t left = d->in->n - x->begin < own->n ? (uint32_t)(d->in->n - x->begin) : own->n;
	const float *z = d->in->z + x->begin % RING;
	double base = d->log_noise, others = 0;
	for (uint32_t t = m->segments[k->first].first; t < m->segments[k->end - 1].end; t++) {
		const struct model_template *o = &m->templates[t];
		uint32_t n = o->n < left ? o->n : left;
		if (o->segment == own->segment)
			continue;
		double a = own->logs / own->n * n - decode_squares(z, own->mean, own->weight, n) / d->noise / 2;
		double b = o->logs / o->n * n - decode_squares(z, o->mean, o->weight, n) / d->noise / 2;
		others += exp(b - a < 50 ? b - a : 50);
	}
	double l = input_background(d->in, x->begin, x->begin + left) + (own->logs / own->n - base) * left -
	           decode_squares(z, own->mean, own->weight, left) / d->noise / 2;
	others += exp(-l < 50 ? -l : 50);
	return (float)(1 / (1 + others));
}

struct fit { // of the samples to the model
	double n, x, y, xx, xy, squares, slips;
};

static void fit_add(const struct decoder *d, const struct trace *x, struct fit *f)
{
	const struct model_template *t = &d->m->templates[x->template];
	for (uint32_t i = 0; i < t->n && x->begin + i < d->in->n; i++) {
		double a = t->mean[i], b = d->in->z[(x->begin + i) % RING];
		f->n++, f->x += a, f->y += b, f->xx += a * a, f->xy += a * b;
		f->squares += (b - a) * (b - a) * t->weight[i];
	}
	f->slips += x->slip;
}

// Follows gain, noise and clock.
static void adjust(struct decoder *d, const struct fit *f)
{
	struct input *in = d->in;
	if (f->n < 256)
		return;
	double det = f->n * f->xx - f->x * f->x, slope = det > 0 ? (f->n * f->xy - f->x * f->y) / det : 1;
	double noise = f->squares / f->n, slips = f->slips / f->n;
	if (slope > 0.5 && slope < 2) {
		double part = 0.5, offset = (f->y - slope * f->x) / f->n, by = 1 / (1 + part * (slope - 1));
		in->gain *= by;
		in->offset = (in->offset - part * offset) * by;
	}
	decode_noise(d, d->noise + 0.5 * ((noise < 0.2 ? 0.2 : noise > 100 ? 100 : noise) - d->noise));
	input_spread(in, d->m->variance + (d->noise - 1) * d->m->residual);
	in->step *= 1 + 0.3 * (slips < -0.01 ? -0.01 : slips > 0.01 ? 0.01 : slips);
}

void decode_commit(struct decoder *d, uint32_t trace, uint64_t until)
{
	VEC(uint32_t) chain = {0};
	struct fit fit = {0};
	const struct trace *v = d->traces.v.v;
	while (trace != d->root && v[trace].end > until)
		trace = v[trace].parent;
	for (uint32_t at = trace; at != d->root; at = v[at].parent)
		vec_push(&chain, at);
	for (size_t i = chain.n; i-- > 0;) {
		const struct trace *x = &v[chain.v[i]];
		struct path_segment s = {input_place(d->in, x->begin), input_place(d->in, x->end), MODEL_NONE, 0};
		if (x->template != MODEL_NONE) {
			s.segment = d->m->templates[x->template].segment;
			s.confidence = confidence(d, x);
			fit_add(d, x, &fit);
		}
		give(d, &s);
	}
	vec_release(&chain);
	if (trace == d->root)
		return;
	adjust(d, &fit);
	decode_traces_use(&d->traces, trace);
	decode_traces_drop(&d->traces, d->root);
	d->root = trace;
	decode_traces_drop(&d->traces, d->traces.v.v[trace].parent); // what is known is not needed
	d->traces.v.v[trace].parent = 0;
}

static bool comes_of_root(const struct decoder *d, uint32_t trace)
{
	while (trace && trace != d->root)
		trace = d->traces.v.v[trace].parent;
	return trace == d->root;
}

// Those that disagree with what is known now are given up.
static void keep_with_root(struct decoder *d)
{
	for (uint64_t at = d->at; at < d->at + BUCKETS; at++) {
		struct bucket *b = bucket_of(d, at);
		size_t n = 0;
		for (size_t i = 0; i < b->v.n; i++) {
			if (comes_of_root(d, b->v.v[i].trace))
				b->v.v[n++] = b->v.v[i];
			else
				decode_traces_drop(&d->traces, b->v.v[i].trace);
		}
		b->v.n = n;
	}
	if (d->last.trace && !comes_of_root(d, d->last.trace)) {
		decode_traces_drop(&d->traces, d->last.trace);
		d->last = (struct hypothesis){0};
	}
}

void decode_settle(struct decoder *d)
{
	const struct hypothesis *best = NULL;
	for (uint64_t at = d->at; at < d->at + BUCKETS; at++) {
		const struct bucket *b = bucket_of(d, at);
		for (size_t i = 0; i < b->v.n; i++)
			if (!best || b->v.v[i].score > best->score)
				best = &b->v.v[i];
	}
	if (!best || !best->trace || d->at < LAG)
		return;
	decode_commit(d, best->trace, d->at - LAG);
	keep_with_root(d);
}

// -----------------------------------------------------------------------------------------------
