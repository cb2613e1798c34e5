#include "infer/model.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"

static const char magic[8] = "VEERINF1";
enum { COUNT_MAX = 1 << 20 };

// --- writing -----------------------------------------------------------------------------------

static void put_floats(struct buf *out, const float *v, uint32_t n)
{
	buf_add(out, v, n * sizeof *v);
}

static void put_float(struct buf *out, float v)
{
	buf_add(out, &v, sizeof v);
}

static void put_segment(struct buf *out, const struct model_segment *s)
{
	buf_string(out, s->name);
	buf_string(out, s->lines);
	buf_u32(out, s->marker);
	buf_u32(out, (uint32_t)s->how | (s->may_leave ? 256u : 0));
	buf_u32(out, s->next);
	buf_u32(out, s->after);
	buf_u32(out, s->seen);
	buf_u32(out, s->first);
	buf_u32(out, s->end);
}

int infer_model_write(const struct model *m, const char *path, struct err *err)
{
	struct buf out = {0};
	buf_add(&out, magic, sizeof magic);
	buf_u64(&out, 0); // the hash of what follows
	buf_add(&out, &m->rate, sizeof m->rate);
	put_float(&out, m->mean);
	put_float(&out, m->variance);
	buf_u32(&out, m->n_functions);
	for (uint32_t i = 0; i < m->n_functions; i++) {
		buf_string(&out, m->functions[i].name);
		buf_u32(&out, m->functions[i].entry);
		buf_u32(&out, m->functions[i].taken);
	}
	buf_u32(&out, m->n_markers);
	for (uint32_t i = 0; i < m->n_markers; i++) {
		buf_u32(&out, m->markers[i].function);
		buf_u32(&out, m->markers[i].first);
		buf_u32(&out, m->markers[i].end);
	}
	buf_u32(&out, m->n_segments);
	for (uint32_t i = 0; i < m->n_segments; i++)
		put_segment(&out, &m->segments[i]);
	buf_u32(&out, m->n_calls);
	for (uint32_t i = 0; i < m->n_calls; i++) {
		buf_u32(&out, m->calls[i].caller);
		buf_u32(&out, m->calls[i].callee);
		buf_u32(&out, m->calls[i].after);
	}
	buf_u32(&out, m->n_templates);
	for (uint32_t i = 0; i < m->n_templates; i++) {
		const struct model_template *t = &m->templates[i];
		buf_u32(&out, t->segment);
		buf_u32(&out, t->n);
		buf_u32(&out, t->seen);
		put_floats(&out, t->mean, t->n);
		put_floats(&out, t->weight, t->n);
	}
	buf_u32(&out, m->n_windows);
	for (uint32_t i = 0; i < m->n_windows; i++) {
		buf_u32(&out, m->windows[i].template);
		buf_u32(&out, m->windows[i].n);
		put_floats(&out, m->windows[i].mean, m->windows[i].n);
	}
	uint64_t hash = hash_bytes(out.data + 16, out.len - 16).low;
	memcpy(out.data + 8, &hash, 8);
	int r = file_replace(path, out.data, out.len, 0666, err);
	buf_release(&out);
	return r;
}

// --- reading -----------------------------------------------------------------------------------

static uint32_t count(struct cursor *c, size_t least)
{
	uint32_t n = cursor_u32(c);
	c->bad |= n > COUNT_MAX;
	return cursor_fits(c, n, least);
}

static char *text(struct cursor *c)
{
	char *s = cursor_string(c);
	return s ? s : mem_strdup("");
}

static float *floats(struct cursor *c, uint32_t n)
{
	const uint8_t *p = n <= MODEL_LENGTH + MODEL_WINDOW ? cursor_bytes(c, n * sizeof(float)) : NULL;
	c->bad |= !p || !n;
	float *v = mem_zero((n <= MODEL_LENGTH + MODEL_WINDOW ? n : 0) * sizeof *v + 1);
	if (c->bad)
		return v;
	memcpy(v, p, n * sizeof *v);
	for (uint32_t i = 0; i < n; i++)
		c->bad |= !isfinite(v[i]);
	return v;
}

static float one_float(struct cursor *c)
{
	float v = 0;
	const uint8_t *p = cursor_bytes(c, sizeof v);
	if (p)
		memcpy(&v, p, sizeof v);
	c->bad |= !isfinite(v);
	return v;
}

static void read_graph(struct model *m, struct cursor *c)
{
	m->n_functions = count(c, 12);
	m->functions = mem_zero((m->n_functions + 1) * sizeof *m->functions);
	for (uint32_t i = 0; i < m->n_functions; i++) {
		m->functions[i].name = text(c);
		m->functions[i].entry = cursor_u32(c);
		m->functions[i].taken = cursor_u32(c) != 0;
	}
	m->n_markers = count(c, 12);
	m->markers = mem_zero((m->n_markers + 1) * sizeof *m->markers);
	for (uint32_t i = 0; i < m->n_markers; i++) {
		m->markers[i].function = cursor_u32(c);
		m->markers[i].first = cursor_u32(c);
		m->markers[i].end = cursor_u32(c);
	}
	m->n_segments = count(c, 36);
	m->segments = mem_zero((m->n_segments + 1) * sizeof *m->segments);
	for (uint32_t i = 0; i < m->n_segments; i++) {
		struct model_segment *s = &m->segments[i];
		s->name = text(c);
		s->lines = text(c);
		s->marker = cursor_u32(c);
		uint32_t how = cursor_u32(c);
		c->bad |= (how & 255) >= MODEL_ENDS;
		s->how = (enum model_end)(how & 255);
		s->may_leave = how >> 8 & 1;
		s->next = cursor_u32(c);
		s->after = cursor_u32(c);
		s->seen = cursor_u32(c);
		s->first = cursor_u32(c);
		s->end = cursor_u32(c);
	}
	m->n_calls = count(c, 12);
	m->calls = mem_zero((m->n_calls + 1) * sizeof *m->calls);
	for (uint32_t i = 0; i < m->n_calls; i++) {
		m->calls[i].caller = cursor_u32(c);
		m->calls[i].callee = cursor_u32(c);
		m->calls[i].after = cursor_u32(c);
	}
}

static void read_waves(struct model *m, struct cursor *c)
{
	m->n_templates = count(c, 20);
	m->templates = mem_zero((m->n_templates + 1) * sizeof *m->templates);
	for (uint32_t i = 0; i < m->n_templates; i++) {
		struct model_template *t = &m->templates[i];
		t->segment = cursor_u32(c);
		t->n = cursor_u32(c);
		t->seen = cursor_u32(c);
		c->bad |= t->n > MODEL_LENGTH;
		t->mean = floats(c, t->n);
		t->weight = floats(c, t->n);
		for (uint32_t k = 0; !c->bad && k < t->n; k++)
			c->bad |= !(t->weight[k] > 0);
	}
	m->n_windows = count(c, 12);
	m->windows = mem_zero((m->n_windows + 1) * sizeof *m->windows);
	for (uint32_t i = 0; i < m->n_windows; i++) {
		m->windows[i].template = cursor_u32(c);
		m->windows[i].n = cursor_u32(c);
		m->windows[i].mean = floats(c, m->windows[i].n);
	}
}

static bool optional(uint32_t number, uint32_t n)
{
	return number == MODEL_NONE || number < n;
}

// Every number names something that is there; segments are those of their markers, templates those of their segments.
static bool is_whole(const struct model *m)
{
	bool ok = m->n_segments && m->n_templates && m->variance > 0 && m->rate >= 0 && isfinite(m->rate);
	for (uint32_t i = 0; i < m->n_functions; i++)
		ok = ok && m->functions[i].entry < m->n_markers;
	for (uint32_t i = 0; i < m->n_markers; i++) {
		const struct model_marker *k = &m->markers[i];
		ok = ok && k->function < m->n_functions && k->first <= k->end && k->end <= m->n_segments;
		for (uint32_t s = k->first; ok && s < k->end; s++)
			ok = m->segments[s].marker == i;
	}
	for (uint32_t i = 0; ok && i < m->n_segments; i++) {
		const struct model_segment *s = &m->segments[i];
		ok = s->marker < m->n_markers && s->first < s->end && s->end <= m->n_templates &&
		     optional(s->after, m->n_markers) &&
		     (s->how == MODEL_TO_MARKER ? s->next < m->n_markers : optional(s->next, m->n_functions)) &&
		     m->markers[s->marker].first <= i && i < m->markers[s->marker].end;
		for (uint32_t t = s->first; ok && t < s->end; t++)
			ok = m->templates[t].segment == i;
	}
	for (uint32_t i = 0; ok && i < m->n_calls; i++)
		ok = m->calls[i].caller < m->n_functions && optional(m->calls[i].callee, m->n_functions) &&
		     optional(m->calls[i].after, m->n_markers);
	for (uint32_t i = 0; ok && i < m->n_templates; i++)
		ok = m->templates[i].segment < m->n_segments && m->segments[m->templates[i].segment].first <= i &&
		     i < m->segments[m->templates[i].segment].end;
	for (uint32_t i = 0; ok && i < m->n_windows; i++)
		ok = m->windows[i].template <m->n_templates && m->windows[i].n >= MODEL_WINDOW;
	return ok;
}

int infer_model_read(struct model *ret, const char *path, struct err *err)
{
	struct file_map map;
	*ret = (struct model){0};
	if (file_map(path, &map, err) < 0)
		return -1;
	struct cursor c = {.p = map.data, .end = map.size ? map.data + map.size : NULL};
	const uint8_t *head = map.size ? cursor_bytes(&c, 16) : NULL;
	if (!head || memcmp(head, magic, sizeof magic) != 0) {
		file_unmap(&map);
		return err_set(err, "%s: not a model that veer infer train writes", path);
	}
	uint64_t hash;
	memcpy(&hash, head + 8, 8);
	const uint8_t *rate =
		hash == hash_bytes(c.p, (size_t)(c.end - c.p)).low ? cursor_bytes(&c, sizeof ret->rate) : NULL;
	c.bad |= !rate;
	if (rate)
		memcpy(&ret->rate, rate, sizeof ret->rate);
	ret->mean = one_float(&c);
	ret->variance = one_float(&c);
	read_graph(ret, &c);
	read_waves(ret, &c);
	bool ok = !c.bad && c.p == c.end && is_whole(ret);
	file_unmap(&map);
	if (!ok) {
		infer_model_release(ret);
		return err_set(err, "%s: it is damaged; train it again", path);
	}
	infer_model_settle(ret);
	return 0;
}

// -----------------------------------------------------------------------------------------------

void infer_model_settle(struct model *m)
{
	double residual = 0, all = 0;
	for (uint32_t i = 0; i < m->n_templates; i++) {
		struct model_template *t = &m->templates[i];
		double sum = 0, seen = t->seen ? t->seen : 1;
		for (uint32_t k = 0; k < t->n; k++) {
			sum += log(t->weight[k]) / 2;
			residual += seen / t->weight[k];
		}
		all += seen * t->n;
		t->logs = (float)sum;
		t->each = (float)(sum / t->n);
	}
	residual = all > 0 ? residual / all : 0;
	m->residual = (float)(residual < 0.9 * m->variance ? residual : 0.9 * m->variance);
}

void infer_model_release(struct model *m)
{
	for (uint32_t i = 0; i < m->n_functions; i++)
		mem_free(m->functions[i].name);
	for (uint32_t i = 0; i < m->n_segments; i++) {
		mem_free(m->segments[i].name);
		mem_free(m->segments[i].lines);
	}
	for (uint32_t i = 0; i < m->n_templates; i++) {
		mem_free(m->templates[i].mean);
		mem_free(m->templates[i].weight);
	}
	for (uint32_t i = 0; i < m->n_windows; i++)
		mem_free(m->windows[i].mean);
	mem_free(m->functions);
	mem_free(m->markers);
	mem_free(m->segments);
	mem_free(m->calls);
	mem_free(m->templates);
	mem_free(m->windows);
	*m = (struct model){0};
}

static uint32_t *slot_of(const struct model_names *n, const struct model *m, const char *name)
{
	size_t at = hash_text(name) & (n->cap - 1);
	while (n->slots[at] && strcmp(m->segments[n->slots[at] - 1].name, name) != 0)
		at = (at + 1) & (n->cap - 1);
	return &n->slots[at];
}

void infer_model_names_init(struct model_names *n, const struct model *m)
{
	n->cap = 16;
	while (n->cap < 2 * (size_t)m->n_segments)
		n->cap *= 2;
	n->slots = mem_zero(n->cap * sizeof *n->slots);
	for (uint32_t i = 0; i < m->n_segments; i++) {
		uint32_t *slot = slot_of(n, m, m->segments[i].name);
		*slot = *slot ? *slot : i + 1;
	}
}

uint32_t infer_model_names_find(const struct model_names *n, const struct model *m, const char *name)
{
	uint32_t number = *slot_of(n, m, name);
	return number ? number - 1 : MODEL_NONE;
}

void infer_model_names_release(struct model_names *n)
{
	mem_free(n->slots);
	*n = (struct model_names){0};
}
