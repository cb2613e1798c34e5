#include "infer/train.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"

enum { LENGTHS_MAX = 8, WINDOWS_MAX = 4096, PRIOR = 2 };

struct occurrence {
	uint32_t segment; // of the program, over all functions
	uint32_t recording, start, count;
	uint32_t template; // MODEL_NONE: none
};

struct samples { // of a recording; value = gain * sample + offset
	float *v;
	size_t n;
	double gain, offset;
};

struct window_sum {
	uint64_t key; // template and the segment behind it, plus 1
	uint32_t seen;
	double *sum;
};

MAP(window_sums, struct window_sum);
MAP_FUNCTIONS(window_sums, struct window_sums, uint64_t, .key, .seen, map_hash_number, map_same_number)

struct trainer {
	const struct program *program;
	uint32_t *functions; // of each segment of the program
	double rate;
	VEC(struct samples) samples;
	VEC(struct occurrence) all;
	uint64_t unknown, too_long;
};

struct trainer *trainer_new(const struct program *program)
{
	struct trainer *t = mem_zero(sizeof *t);
	t->program = program;
	t->functions = mem_zero((program->segments + 1) * sizeof *t->functions);
	for (uint32_t f = 0; f < program->n_functions; f++)
		for (uint32_t k = 0; k < program->functions[f].marking.segments; k++)
			t->functions[program->functions[f].first + k] = f;
	return t;
}

void trainer_free(struct trainer *t)
{
	for (size_t i = 0; i < t->samples.n; i++)
		mem_free(t->samples.v[i].v);
	vec_release(&t->samples);
	vec_release(&t->all);
	mem_free(t->functions);
	mem_free(t);
}

// --- recordings --------------------------------------------------------------------------------

static void normalise(struct samples *s)
{
	double sum = 0, squares = 0;
	for (size_t i = 0; i < s->n; i++) {
		sum += s->v[i];
		squares += (double)s->v[i] * s->v[i];
	}
	double mean = sum / (double)s->n, variance = squares / (double)s->n - mean * mean;
	s->gain = variance > 0 ? 1 / sqrt(variance) : 1;
	s->offset = -mean * s->gain;
}

int trainer_add(struct trainer *t, struct recording *r, struct err *err)
{
	if (!r->n_labels)
		return err_set(err, "%s: nothing says which path it is of: it has neither annotations nor a .path file",
		               r->path);
	if (t->samples.n && fabs(r->rate - t->rate) > 1e-6 * t->rate)
		return err_set(err, "%s: its sampling rate is %g, that of others %g", r->path, r->rate, t->rate);
	if (r->n > UINT32_MAX / 2)
		return err_set(err, "%s: too long for training; split it", r->path);
	t->rate = r->rate;
	struct samples s = {.v = mem_alloc(r->n * sizeof(float)), .n = (size_t)r->n};
	recording_read(r, 0, s.n, s.v);
	normalise(&s);
	vec_push(&t->samples, s);
	for (size_t i = 0; i < r->n_labels; i++) {
		const struct recording_label *l = &r->labels[i];
		uint32_t f, number;
		if (strcmp(l->text, "?") == 0) // no segment, and known to be none
			continue;
		if (!program_named(t->program, l->text, &f, &number)) {
			t->unknown++;
		} else if (l->count > MODEL_LENGTH || l->count == 0) {
			t->too_long++;
		} else {
			const struct occurrence o = {.segment = t->program->functions[f].first + number,
			                             .recording = (uint32_t)t->samples.n - 1,
			                             .start = (uint32_t)l->start,
			                             .count = (uint32_t)l->count,
			                             .template = MODEL_NONE};
			vec_push(&t->all, o);
		}
	}
	return 0;
}

// --- segments and lengths ----------------------------------------------------------------------

static int by_segment(const void *a, const void *b)
{
	const struct occurrence *x = *(const struct occurrence *const *)a, *y = *(const struct occurrence *const *)b;
	if (x->segment != y->segment)
		return x->segment < y->segment ? -1 : 1;
	return x->count != y->count ? (x->count < y->count ? -1 : 1) : 0;
}

// Lengths that differ by a sample are the same one at another place of the clock.
static uint32_t tolerance(uint32_t count)
{
	return 1 + count / 400;
}

static void add_template(struct model *m, uint32_t segment, uint32_t n)
{
	m->templates = mem_resize(m->templates, (m->n_templates + 1) * sizeof *m->templates);
	m->templates[m->n_templates++] = (struct model_template){
		.segment = segment, .n = n, .mean = mem_zero(n * sizeof(float)), .weight = mem_zero(n * sizeof(float))};
}

// The occurrences of a segment, by length: the most frequent one is a template, with those that hardly differ from it;
// then the next one.
static void make_templates(struct model *m, struct occurrence **v, size_t n, uint32_t segment)
{
	for (int k = 0; k < LENGTHS_MAX; k++) {
		uint32_t best = 0, length = 0;
		for (size_t i = 0; i < n;) {
			size_t j = i;
			uint32_t seen = 0;
			for (; j < n && v[j]->count == v[i]->count; j++)
				seen += v[j]->template == MODEL_NONE;
			if (seen > best) {
				best = seen;
				length = v[i]->count;
			}
			i = j;
		}
		if (!best)
			return;
		for (size_t i = 0; i < n; i++) {
			uint32_t c = v[i]->count, differs = c > length ? c - length : length - c;
			if (v[i]->template == MODEL_NONE && differs <= tolerance(length))
				v[i]->template = m->n_templates;
		}
		add_template(m, segment, length);
	}
}

static uint32_t marker_of(const struct model *m, const struct code_function *f, uint32_t function, uint32_t k)
{
	return m->functions[function].entry + k;
}

// What comes after a segment, by the last of its blocks.
static void describe_end(struct trainer *t, const struct model *m, struct model_segment *s, uint32_t f,
                         const uint32_t *blocks, uint32_t n)
{
	const struct program *p = t->program;
	const struct code_function *fn = &p->functions[f];
	const struct code_block *last = &p->blocks[blocks[n - 1]];
	s->next = s->after = MODEL_NONE;
	s->may_leave = last->may_leave;
	if (last->end == CODE_CALLS || last->end == CODE_LEAVES) {
		s->how = last->end == CODE_CALLS ? MODEL_CALLS : MODEL_LEAVES;
		if (last->callee != CODE_NONE && p->functions[last->callee].n)
			s->next = last->callee;
		if (last->after != CODE_NONE)
			s->after = marker_of(m, fn, f, fn->marking.marker_of[p->blocks[last->after].node] - 1);
	} else {
		s->how = last->end == CODE_RETURNS ? MODEL_RETURNS : MODEL_STOPS;
	}
}

// The marker that the edge with which a segment ends leads to.
static uint32_t next_marker(const struct program *p, const struct model *m, uint32_t f, uint32_t number,
                            const uint32_t *blocks, uint32_t n)
{
	const struct code_function *fn = &p->functions[f];
	uint32_t begins = fn->marking.marker_of[p->blocks[blocks[0]].node] - 1,
		 left = number - fn->marking.v[begins].base;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t node = p->blocks[blocks[i]].node, from = fn->graph.first[node],
			 e = fn->graph.first[node + 1] - from;
		if (i + 1 < n) {
			uint32_t to = p->blocks[blocks[i + 1]].node, k = 0;
			while (fn->graph.to[from + k] != to)
				k++;
			left -= marking_adds(&fn->marking, node, k);
			continue;
		}
		while (e > 1 && marking_adds(&fn->marking, node, e - 1) > left)
			e--;
		uint32_t marker = e ? fn->marking.marker_of[fn->graph.to[from + e - 1]] : 0;
		return marker ? marker_of(m, fn, f, marker - 1) : MODEL_NONE;
	}
	return MODEL_NONE;
}

static void add_segment(struct trainer *t, struct model *m, uint32_t f, uint32_t number, uint32_t marker,
                        struct occurrence **v, size_t n)
{
	const struct program *p = t->program;
	uint32_t *blocks = mem_zero(p->functions[f].n * sizeof *blocks), all = program_segment(p, f, number, blocks);
	struct buf name = {0};
	program_name(p, f, number, &name);
	m->segments = mem_resize(m->segments, (m->n_segments + 1) * sizeof *m->segments);
	struct model_segment *s = &m->segments[m->n_segments];
	*s = (struct model_segment){
		.name = buf_steal(&name), .marker = marker, .seen = (uint32_t)n, .first = m->n_templates};
	describe_end(t, m, s, f, blocks, all);
	if (p->blocks[blocks[all - 1]].end == CODE_GOES_ON) {
		s->next = next_marker(p, m, f, number, blocks, all);
		s->how = s->next == MODEL_NONE ? MODEL_STOPS : MODEL_TO_MARKER;
	}
	make_templates(m, v, n, m->n_segments);
	s->end = m->n_templates;
	m->n_segments++;
	mem_free(blocks);
}

static void add_calls(const struct program *p, struct model *m)
{
	size_t cap = 0;
	for (uint32_t b = 0; b < p->n_blocks; b++) {
		const struct code_block *k = &p->blocks[b];
		if (k->end != CODE_CALLS && k->end != CODE_LEAVES && !(k->may_leave && k->callee != CODE_NONE))
			continue;
		struct model_call c = {k->function, k->callee == CODE_NONE ? MODEL_NONE : k->callee, MODEL_NONE};
		const struct code_function *f = &p->functions[k->function];
		if (k->end == CODE_CALLS && k->after == CODE_NONE)
			continue;
		if (k->end == CODE_CALLS)
			c.after = m->functions[k->function].entry + f->marking.marker_of[p->blocks[k->after].node] - 1;
		vec_room(m->calls, m->n_calls + 1, cap);
		m->calls[m->n_calls++] = c;
	}
}

static void make_graph(struct trainer *t, struct model *m, struct occurrence **v, size_t n)
{
	const struct program *p = t->program;
	m->n_functions = p->n_functions;
	m->functions = mem_zero((m->n_functions + 1) * sizeof *m->functions);
	for (uint32_t f = 0; f < p->n_functions; f++) {
		uint32_t markers = p->functions[f].marking.n ? p->functions[f].marking.n : 1;
		m->functions[f] =
			(struct model_function){mem_strdup(p->functions[f].name), m->n_markers, p->functions[f].taken};
		m->n_markers += markers;
	}
	m->markers = mem_zero((m->n_markers + 1) * sizeof *m->markers);
	add_calls(p, m);
	size_t at = 0;
	for (uint32_t f = 0; f < p->n_functions; f++) {
		const struct code_function *fn = &p->functions[f];
		for (uint32_t k = 0; k < (fn->marking.n ? fn->marking.n : 1); k++) {
			uint32_t marker = m->functions[f].entry + k;
			uint32_t end =
				fn->first + (k + 1 < fn->marking.n ? fn->marking.v[k + 1].base : fn->marking.segments);
			m->markers[marker] = (struct model_marker){f, m->n_segments, 0};
			while (at < n && v[at]->segment < end) {
				size_t from = at;
				while (at < n && v[at]->segment == v[from]->segment)
					at++;
				add_segment(t, m, f, v[from]->segment - fn->first, marker, v + from, at - from);
			}
			m->markers[marker].end = m->n_segments;
		}
	}
	assert(at == n);
}

// --- waves -------------------------------------------------------------------------------------

static float value(const struct samples *s, size_t at)
{
	return (float)(s->v[at] * s->gain + s->offset);
}

static void make_means(struct trainer *t, struct model *m)
{
	uint32_t **seen = mem_zero((m->n_templates + 1) * sizeof *seen);
	double **sums = mem_zero((m->n_templates + 1) * sizeof *sums);
	for (uint32_t i = 0; i < m->n_templates; i++) {
		seen[i] = mem_zero(m->templates[i].n * sizeof **seen);
		sums[i] = mem_zero(m->templates[i].n * sizeof **sums);
		m->templates[i].seen = 0;
	}
	for (size_t i = 0; i < t->all.n; i++) {
		const struct occurrence *o = &t->all.v[i];
		if (o->template == MODEL_NONE)
			continue;
		struct model_template *w = &m->templates[o->template];
		const struct samples *s = &t->samples.v[o->recording];
		w->seen++;
		for (uint32_t k = 0; k < w->n && o->start + k < s->n; k++) {
			sums[o->template][k] += value(s, o->start + k);
			seen[o->template][k]++;
		}
	}
	for (uint32_t i = 0; i < m->n_templates; i++) {
		for (uint32_t k = 0; k < m->templates[i].n; k++)
			m->templates[i].mean[k] = (float)(sums[i][k] / (seen[i][k] ? seen[i][k] : 1));
		mem_free(seen[i]);
		mem_free(sums[i]);
	}
	mem_free(seen);
	mem_free(sums);
}

// The gain of each recording by which it fits the means best.
static void fit_gains(struct trainer *t, const struct model *m)
{
	size_t i = 0;
	for (uint32_t r = 0; r < t->samples.n; r++) {
		struct samples *s = &t->samples.v[r];
		double n = 0, x = 0, y = 0, xx = 0, xy = 0;
		for (; i < t->all.n && t->all.v[i].recording == r; i++) {
			const struct occurrence *o = &t->all.v[i];
			const struct model_template *w = o->template == MODEL_NONE ? NULL : &m->templates[o->template];
			for (uint32_t k = 0; w && k < w->n && o->start + k < s->n; k++) {
				double a = w->mean[k], b = s->v[o->start + k];
				n++, x += a, y += b, xx += a * a, xy += a * b;
			}
		}
		double d = n * xx - x * x, slope = d > 0 ? (n * xy - x * y) / d : 0;
		if (slope > 0) {
			s->gain = 1 / slope;
			s->offset = -(y - slope * x) / n * s->gain;
		}
	}
}

// The variance of each sample, drawn towards that of all where it was seen rarely.
static void make_weights(struct trainer *t, struct model *m)
{
	double all = 0, n = 0, sum = 0, squares = 0, count = 0;
	for (int pass = 0; pass < 2; pass++) {
		double pooled = n > 0 ? all / n : 0.01;
		for (size_t i = 0; i < t->all.n; i++) {
			const struct occurrence *o = &t->all.v[i];
			if (o->template == MODEL_NONE)
				continue;
			struct model_template *w = &m->templates[o->template];
			const struct samples *s = &t->samples.v[o->recording];
			for (uint32_t k = 0; k < w->n && o->start + k < s->n; k++) {
				double x = value(s, o->start + k), d = x - w->mean[k];
				if (pass) {
					w->weight[k] += (float)(d * d);
					continue;
				}
				sum += x, squares += x * x, count++;
				if (w->seen > 1)
					all += d * d * w->seen / (w->seen - 1), n++;
			}
		}
		for (uint32_t i = 0; i < m->n_templates && pass; i++) {
			struct model_template *w = &m->templates[i];
			for (uint32_t k = 0; k < w->n; k++) {
				double seen = w->seen,
				       v = (w->weight[k] + PRIOR * pooled) / (seen - (seen > 1) + PRIOR);
				v = v * (1 + 1 / seen);
				w->weight[k] = (float)(1 / (v > 1e-6 ? v : 1e-6));
			}
		}
	}
	m->mean = (float)(sum / count);
	m->variance = (float)(squares / count - sum / count * (sum / count));
	m->variance = m->variance > 1e-9f ? m->variance : 1e-9f;
}

static int by_seen(const void *a, const void *b)
{
	const struct window_sum *x = a, *y = b;
	return x->seen != y->seen ? (x->seen > y->seen ? -1 : 1) : x->key < y->key ? -1 : 1;
}

// Of a template and the segment behind it: as many samples as the template has, or MODEL_WINDOW.
static void make_windows(struct trainer *t, struct model *m)
{
	struct window_sums map = {0};
	for (size_t i = 0; i < t->all.n; i++) {
		const struct occurrence *o = &t->all.v[i], *next = i + 1 < t->all.n ? o + 1 : NULL;
		const struct samples *s = &t->samples.v[o->recording];
		if (o->template == MODEL_NONE)
			continue;
		uint32_t n = m->templates[o->template].n, behind = 0;
		if (next && next->recording == o->recording && next->start <= o->start + o->count)
			behind = next->segment + 1;
		n = n > MODEL_WINDOW ? n : MODEL_WINDOW;
		if (o->start + n > s->n)
			continue;
		struct window_sum *w = window_sums_put(&map, ((uint64_t)o->template << 32 | behind) + 1);
		if (!w->seen++)
			w->sum = mem_zero(n * sizeof *w->sum);
		for (uint32_t k = 0; k < n; k++)
			w->sum[k] += value(s, o->start + k);
	}
	struct window_sum *w;
	VEC(struct window_sum) sorted = {0};
	for (size_t at = 0; (w = window_sums_next(&map, &at));)
		vec_push(&sorted, *w);
	if (sorted.n)
		qsort(sorted.v, sorted.n, sizeof *sorted.v, by_seen);
	m->windows = mem_zero((sorted.n + 1) * sizeof *m->windows);
	for (size_t i = 0; i < sorted.n; i++) {
		uint32_t template = (uint32_t)((sorted.v[i].key - 1) >> 32), n = m->templates[template].n;
		n = n > MODEL_WINDOW ? n : MODEL_WINDOW;
		if (i < WINDOWS_MAX) {
			struct model_window *to = &m->windows[m->n_windows++];
			*to = (struct model_window){template, n, mem_zero(n * sizeof(float))};
			for (uint32_t k = 0; k < n; k++)
				to->mean[k] = (float)(sorted.v[i].sum[k] / sorted.v[i].seen);
		}
		mem_free(sorted.v[i].sum);
	}
	vec_release(&sorted);
	window_sums_release(&map);
}

// --- source lines ------------------------------------------------------------------------------

static void put_lines(struct buf *out, const struct strv *places, const uint32_t *first, const uint32_t *blocks,
                      uint32_t n)
{
	const char *last = "";
	size_t last_file = 0;
	for (uint32_t b = 0; b < n; b++)
		for (uint32_t i = first[blocks[b]]; i < first[blocks[b] + 1]; i++) {
			const char *place = places->v[i], *colon = strchr(place, ' ');
			while (colon && colon > place && *colon != ':')
				colon--;
			if (!colon || colon == place || strcmp(place, last) == 0)
				continue;
			size_t file = (size_t)(colon - place);
			int line = atoi(colon + 1);
			if (line <= 0)
				continue;
			if (file == last_file && strncmp(place, last, file) == 0)
				buf_printf(out, " %d", line);
			else
				buf_printf(out, "%s%.*s:%d", out->len ? "; " : "", (int)file, place, line);
			last = place;
			last_file = file;
		}
}

static int add_lines(struct trainer *t, struct model *m, train_lines ask, void *opaque, struct err *err)
{
	const struct program *p = t->program;
	uint32_t *first = mem_zero((p->n_blocks + 1) * sizeof *first);
	bool *wanted = mem_zero(p->n_blocks + 1);
	VEC(uint64_t) addresses = {0};
	struct strv places = {0};
	for (uint32_t i = 0; i < m->n_segments; i++) {
		uint32_t f, number;
		bool known = program_named(p, m->segments[i].name, &f, &number);
		assert(known);
		uint32_t *blocks = mem_zero(p->functions[f].n * sizeof *blocks),
			 n = program_segment(p, f, number, blocks);
		for (uint32_t k = 0; k < n; k++)
			wanted[blocks[k]] = true;
		mem_free(blocks);
	}
	for (uint32_t b = 0; b < p->n_blocks; b++) {
		first[b] = (uint32_t)addresses.n;
		for (uint32_t at = 0; wanted[b] && at < p->blocks[b].size; at += 2)
			vec_push(&addresses, p->blocks[b].address + at);
	}
	first[p->n_blocks] = (uint32_t)addresses.n;
	int r = ask(opaque, addresses.v, addresses.n, &places, err);
	if (r == 0 && places.n != addresses.n)
		r = err_set(err, "the symbolizer answered %zu of %zu addresses", places.n, addresses.n);
	for (uint32_t i = 0; i < m->n_segments; i++) {
		struct buf lines = {0};
		uint32_t f, number;
		program_named(p, m->segments[i].name, &f, &number);
		uint32_t *blocks = mem_zero(p->functions[f].n * sizeof *blocks),
			 n = program_segment(p, f, number, blocks);
		if (r == 0)
			put_lines(&lines, &places, first, blocks, n);
		mem_free(blocks);
		buf_reserve(&lines, 1);
		m->segments[i].lines = buf_steal(&lines);
	}
	mem_free(first);
	mem_free(wanted);
	vec_release(&addresses);
	strv_release(&places);
	return r;
}

// -----------------------------------------------------------------------------------------------

int trainer_end(struct trainer *t, train_lines lines, void *opaque, struct model *ret, struct trained *counts,
                struct err *err)
{
	*ret = (struct model){.rate = t->rate};
	if (!t->all.n)
		return err_set(
			err,
			"no label names a segment of the firmware: the recordings are of another program, or build");
	struct occurrence **sorted = mem_alloc(t->all.n * sizeof(struct occurrence *));
	for (size_t i = 0; i < t->all.n; i++)
		sorted[i] = &t->all.v[i];
	qsort(sorted, t->all.n, sizeof *sorted, by_segment);
	make_graph(t, ret, sorted, t->all.n);
	mem_free(sorted);
	make_means(t, ret);
	fit_gains(t, ret);
	make_means(t, ret);
	make_weights(t, ret);
	make_windows(t, ret);
	*counts = (struct trained){ret->n_segments, t->program->segments, t->unknown, t->too_long};
	int r = add_lines(t, ret, lines, opaque, err);
	if (r == 0)
		infer_model_settle(ret);
	else
		infer_model_release(ret);
	return r;
}
