#include "worker/succinct.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "base/mem.h"

// --- asking ---------------------------------------------------------------------------------------

static int ask(struct client *a, const struct job *of, const struct input *in, uint32_t flags, struct result *ret,
               struct err *err)
{
	enum { CARE_US = 1000000 };
	struct job j = *of;
	j.input = *in;
	j.flags = flags;
	j.care_us = CARE_US;
	return client_call(a, &j, ret, err);
}

// --- filling in -----------------------------------------------------------------------------------

char succinct_filler(const struct input_part *part, const struct input_part *mask)
{
	if (part->kind == INPUT_ARGUMENT || part->kind == INPUT_VARIABLE)
		return 'x'; // a string
	if (input_form(part->kind) == INPUT_FORM_FIXED)
		return 0;
	for (size_t i = 0; i < part->data.len && i < mask->data.len; i++) {
		unsigned char c = (unsigned char)part->data.data[i];
		if (mask->data.data[i] && !isprint(c) && !isspace(c))
			return 0;
	}
	return 'x';
}

// The input and its masks: bytes of which no bit is relevant, filled in, or cut off at the end. True when that changes
// something.
static bool fill(struct input *in, struct input *masks, bool cut)
{
	bool changed = false;
	for (size_t i = 0; i < in->n; i++) {
		struct buf *b = &in->v[i].data, *m = &masks->v[i].data;
		char filler = succinct_filler(&in->v[i], &masks->v[i]);
		while (cut && b->len && input_form(in->v[i].kind) != INPUT_FORM_FIXED && !m->data[b->len - 1]) {
			b->data[--b->len] = 0;
			m->len = b->len;
			changed = true;
		}
		// What a run enters is no choice of its input.
		for (size_t k = 0; k < b->len && in->v[i].kind != INPUT_FRAGMENT; k++)
			if (!m->data[k] && b->data[k] != filler) {
				b->data[k] = filler;
				changed = true;
			}
	}
	return changed;
}

// The same with those of which some bits are relevant, others not: any byte but a newline would do, say, and the filler
// is one. Those from number `from` up to `to`, counted through all parts. Objects are numbers, which say more as they
// are.
static bool fill_partial(struct input *in, struct input *masks, size_t from, size_t to)
{
	bool changed = false;
	for (size_t i = 0, at = 0; i < in->n; at += in->v[i].data.len, i++) {
		char filler = succinct_filler(&in->v[i], &masks->v[i]), *b = in->v[i].data.data;
		char *m = masks->v[i].data.data;
		for (size_t k = 0; k < in->v[i].data.len && input_form(in->v[i].kind) != INPUT_FORM_FIXED; k++)
			if (at + k >= from && at + k < to && m[k] && (unsigned char)m[k] != 0xff && b[k] != filler) {
				b[k] = filler;
				m[k] = 0;
				changed = true;
			}
	}
	return changed;
}

// --- trying ---------------------------------------------------------------------------------------

struct trial {
	struct succinct *of;
	struct client *client;
	const struct job *job;
	const struct result *was;
	uint64_t key;
	unsigned left; // how many more
};

static bool has_verdict(const struct result *r, uint64_t key)
{
	for (uint32_t i = 0; i < r->n_verdicts; i++)
		if (r->verdicts[i].verdict.key == key)
			return true;
	return false;
}

static bool is_same(const struct result *a, const struct result *b, uint64_t key)
{
	return a->path == b->path && a->run.end == b->run.end && a->run.code == b->run.code &&
	       (!key || has_verdict(b, key));
}

static bool fits(const struct input *in, const struct input *masks)
{
	bool fits = in->n == masks->n;
	for (size_t i = 0; fits && i < in->n; i++)
		fits = in->v[i].kind == masks->v[i].kind && in->v[i].data.len == masks->v[i].data.len;
	return fits;
}

// 1: it is as good as the one before, and taken; both are released in any case.
static int try(struct trial *t, struct input *in, struct input *masks, enum succinct_kind kind, struct err *err)
{
	struct succinct *s = t->of;
	struct result r;
	int good = ask(t->client, t->job, in, JOB_PATH | (t->key ? JOB_ORACLE : 0), &r, err);
	if (good == 0) {
		good = is_same(t->was, &r, t->key);
		result_release(&r);
	}
	if (good > 0) {
		input_release(&s->input);
		input_release(&s->masks);
		input_copy(&s->input, in);
		input_copy(&s->masks, masks);
		s->kind = kind > s->kind ? kind : s->kind;
	}
	input_release(in);
	input_release(masks);
	return good;
}

// 1: it did.
static int try_filled(struct trial *t, bool cut, struct err *err)
{
	struct input in, masks;
	input_copy(&in, &t->of->input);
	input_copy(&masks, &t->of->masks);
	if (fill(&in, &masks, cut))
		return try(t, &in, &masks, cut ? SUCCINCT_CUT : SUCCINCT_FILLED, err);
	input_release(&in);
	input_release(&masks);
	return 0;
}

// All of them, or those in one half and in the other.
static int try_partial(struct trial *t, size_t from, size_t to, struct err *err)
{
	struct input in, masks;
	input_copy(&in, &t->of->input);
	input_copy(&masks, &t->of->masks);
	if (!t->left || !fill_partial(&in, &masks, from, to)) {
		input_release(&in);
		input_release(&masks);
		return 0;
	}
	t->left--;
	int good = try(t, &in, &masks, SUCCINCT_FILLED, err);
	if (good || to - from == 1)
		return good;
	size_t middle = from + (to - from) / 2;
	return try_partial(t, from, middle, err) < 0 ? -1 : try_partial(t, middle, to, err);
}

// A run that takes long is not made often.
static unsigned count_tries(const struct result *first)
{
	enum { MOST = 32, ALL_US = 2000000 };
	uint64_t n = ALL_US / (first->us_run + first->us_oracle + 1);
	return n > MOST ? MOST : n ? (unsigned)n : 1;
}

static void mark_all(struct succinct *s)
{
	s->known = false;
	for (size_t i = 0; i < s->masks.n; i++)
		if (s->masks.v[i].data.len)
			memset(s->masks.v[i].data.data, 0xff, s->masks.v[i].data.len);
}

static void take_first(struct succinct *s, const struct input *in, struct result *r, uint64_t key)
{
	input_copy(&s->whole, r->whole.n ? &r->whole : in);
	input_copy(&s->input, &s->whole);
	s->run = r->run;
	s->shows = key && has_verdict(r, key);
	s->known = r->care >= 0 && fits(&s->whole, &r->masks);
	if (s->known) {
		s->masks = r->masks;
		r->masks = (struct input){0};
	} else {
		input_copy(&s->masks, &s->whole);
		mark_all(s);
	}
}

int succinct_make(struct succinct *ret, struct client *a, const struct job *of, uint64_t key, struct err *err)
{
	struct result r;
	struct succinct s = {0};
	if (ask(a, of, &of->input, JOB_PATH | JOB_CARE | JOB_MASKS | (key ? JOB_ORACLE : 0), &r, err) < 0)
		return -1;
	take_first(&s, &of->input, &r, key);
	struct trial t = {.of = &s, .client = a, .job = of, .was = &r, .key = key, .left = count_tries(&r)};
	const bool fails = key && !s.shows;
	int good = s.known && !fails ? try_filled(&t, true, err) : 0;
	if (good == 0 && s.known && !fails)
		good = try_filled(&t, false, err);
	if (fails || (good == 0 && fill(&s.input, &s.masks, false))) { // that did not do
		input_release(&s.input);
		input_copy(&s.input, &s.whole);
		mark_all(&s);
	}
	if (good >= 0 && s.known && !fails)
		good = try_partial(&t, 0, input_size(&s.input), err);
	result_release(&r);
	if (good < 0) {
		succinct_release(&s);
		return -1;
	}
	*ret = s;
	return 0;
}

void succinct_keep(struct succinct *ret, const struct input *in)
{
	*ret = (struct succinct){0};
	input_copy(&ret->whole, in);
	input_copy(&ret->input, in);
	input_copy(&ret->masks, in);
	mark_all(ret);
}

void succinct_release(struct succinct *s)
{
	input_release(&s->whole);
	input_release(&s->input);
	input_release(&s->masks);
	*s = (struct succinct){0};
}

// --- between processes ----------------------------------------------------------------------------

static void encode_input(const struct input *in, struct buf *out)
{
	struct buf data = {0};
	input_encode(in, &data);
	buf_number(out, data.len);
	buf_add(out, data.data, data.len);
	buf_release(&data);
}

static int decode_input(struct input *ret, struct cursor *c, struct err *err)
{
	uint32_t size = cursor_number(c);
	const uint8_t *data = cursor_bytes(c, size);
	return data ? input_decode(ret, data, size, err) : err_set(err, "an input between processes is damaged");
}

void succinct_encode(const struct succinct *s, struct buf *out)
{
	buf_number(out, s->kind);
	buf_number(out, s->known);
	buf_number(out, s->shows);
	buf_add(out, &s->run, sizeof s->run);
	encode_input(&s->whole, out);
	encode_input(&s->input, out);
	assert(fits(&s->input, &s->masks));
	for (size_t i = 0; i < s->masks.n; i++) // masks are no input by themselves
		buf_add(out, s->masks.v[i].data.data, s->masks.v[i].data.len);
}

int succinct_decode(struct succinct *ret, struct cursor *c, struct err *err)
{
	struct succinct s = {.kind = (enum succinct_kind)cursor_number(c)};
	s.known = cursor_number(c);
	s.shows = cursor_number(c);
	const uint8_t *run = cursor_bytes(c, sizeof s.run);
	if (run)
		memcpy(&s.run, run, sizeof s.run);
	if (decode_input(&s.whole, c, err) < 0 || decode_input(&s.input, c, err) < 0) {
		succinct_release(&s);
		return -1;
	}
	input_copy(&s.masks, &s.input);
	for (size_t i = 0; i < s.masks.n; i++) {
		struct buf *b = &s.masks.v[i].data;
		const uint8_t *mask = cursor_bytes(c, b->len);
		if (mask && b->len)
			memcpy(b->data, mask, b->len);
	}
	if (c->bad) {
		succinct_release(&s);
		return err_set(err, "an input between processes is damaged");
	}
	*ret = s;
	return 0;
}
