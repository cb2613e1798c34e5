#include "input/mutate.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "input/vary.h"

enum { LARGEST = 1 << 16, SINGLE = 8 }; // bytes of a part that grows; places whose values are gone through first

static size_t below(struct mutator *m, size_t n)
{
	assert(n);
	return (size_t)(random_next(&m->random) % n);
}

// --- places -----------------------------------------------------------------------------------------

static bool is_text(const struct input_part *p)
{
	return p->kind == INPUT_ARGUMENT || p->kind == INPUT_VARIABLE;
}

// Where to change something: a relevant byte, most of the time. False: the input has nothing.
static bool choose(struct mutator *m, const struct input *in, struct mutate_place *ret)
{
	if (m->n_places && below(m, 8)) {
		*ret = m->places[below(m, m->n_places)];
		return ret->part < in->n;
	}
	size_t n = 0;
	for (size_t i = 0; i < in->n; i++)
		if (input_can_vary(in, i, m->sym))
			ret->part = below(m, ++n) ? ret->part : (uint32_t)i;
	if (!n)
		return false;
	size_t size = in->v[ret->part].data.len;
	ret->offset = size ? (uint32_t)below(m, size) : 0;
	return true;
}

// Puts `n` bytes in place of `old` ones.
static void put(struct input_part *p, size_t at, size_t old, const void *data, size_t n)
{
	struct buf after = {0};
	at = at < p->data.len ? at : p->data.len;
	old = old < p->data.len - at ? old : p->data.len - at;
	if (p->data.len - old + n > LARGEST)
		return;
	if (p->data.len > at + old)
		buf_add(&after, p->data.data + at + old, p->data.len - at - old);
	buf_cut(&p->data, at);
	buf_add(&p->data, data, n);
	if (after.len)
		buf_add(&p->data, after.data, after.len);
	buf_release(&after);
	if (is_text(p) && p->data.len) // a string ends at its first zero
		buf_cut(&p->data, strnlen(p->data.data, p->data.len));
}

// The digits around a place, with a sign, a point and an exponent.
static bool is_numeral(char c)
{
	return isdigit((unsigned char)c) || c == '-' || c == '+' || c == '.';
}

static size_t numeral(const struct input_part *p, size_t *at)
{
	size_t from = *at, to = *at;
	while (from && is_numeral(p->data.data[from - 1]))
		from--;
	while (to < p->data.len && is_numeral(p->data.data[to]))
		to++;
	*at = from;
	return to - from;
}

// --- what is put there ------------------------------------------------------------------------------

// A number of any size: small ones, and those with few digits, as often as large ones.
static uint64_t any_number(struct mutator *m)
{
	uint64_t n = random_next(&m->random) >> below(m, 64);
	switch (below(m, 4)) {
	case 0: { // few digits, as people write numbers
		uint64_t limit = 10;
		for (size_t k = below(m, 6); k; k--)
			limit *= 10;
		return n % limit;
	}
	case 1: return ((uint64_t)1 << below(m, 64)) + below(m, 3) - 1;
	default: return n;
	}
}

static const char *any_word(struct mutator *m)
{
	return m->words && m->words->n ? m->words->v[below(m, m->words->n)] : NULL;
}

// A number of the program's, or near one; any, else.
static uint64_t any_value(struct mutator *m)
{
	const char *word = any_word(m);
	char *end = NULL;
	long long value = word ? strtoll(word, &end, 10) : 0;
	if (!word || end == word || *end || !below(m, 3))
		return any_number(m);
	switch (below(m, 6)) {
	case 0: return (uint64_t)value + 1;
	case 1: return (uint64_t)value - 1;
	case 2: return (uint64_t)value * (1 + below(m, 8));
	case 3: return (uint64_t)value / (1 + below(m, 8));
	default: return (uint64_t)value;
	}
}

static void put_numeral(struct mutator *m, struct input_part *p, size_t at)
{
	char text[64];
	size_t n;
	if (below(m, 4) == 0) { // of a float
		double x = (double)(int64_t)(any_number(m) % 2000000) / 1000;
		for (size_t k = below(m, 4); k; k--)
			x /= 10;
		n = (size_t)snprintf(text, sizeof text, below(m, 4) ? "%g" : "%e", below(m, 4) ? x : -x);
	} else {
		n = (size_t)snprintf(text, sizeof text, below(m, 8) ? "%lld" : "-%lld", (long long)any_value(m));
	}
	size_t old = numeral(p, &at);
	if (!old && !below(m, 3)) { // all of it
		at = 0;
		old = p->data.len;
	}
	put(p, at, old, text, n);
}

static void put_bytes(struct mutator *m, struct input_part *p, size_t at)
{
	uint8_t bytes[8];
	size_t n = (size_t)1 << below(m, 4);
	uint64_t value = any_value(m);
	bool big = below(m, 4) == 0;
	for (size_t i = 0; i < n; i++)
		bytes[big ? n - 1 - i : i] = (uint8_t)(value >> 8 * i);
	at = below(m, 4) ? at : at - at % n;
	put(p, at, n, bytes, n);
}

// Of a format of floats: the bytes of a number as people write it.
static void put_float(struct mutator *m, struct input_part *p, size_t at)
{
	double x = (double)(int64_t)any_value(m);
	for (size_t k = below(m, 6); k; k--)
		x /= 10;
	float narrow = (float)x;
	bool wide = below(m, 2);
	at -= at % (wide ? sizeof x : sizeof narrow);
	put(p, at, wide ? sizeof x : sizeof narrow, wide ? (void *)&x : (void *)&narrow,
	    wide ? sizeof x : sizeof narrow);
}

static void put_word(struct mutator *m, struct input_part *p, size_t at)
{
	const char *word = any_word(m);
	if (!word)
		return;
	size_t n = strlen(word);
	switch (below(m, 4)) {
	case 0: put(p, 0, p->data.len, word, n); break; // nothing else
	case 1: put(p, at, 0, word, n); break;          // before what is there
	case 2: put(p, p->data.len, 0, word, n); break; // behind it
	default: put(p, at, n, word, n);
	}
}

static void change_byte(struct mutator *m, struct input_part *p, size_t at)
{
	uint8_t c = at < p->data.len ? (uint8_t)p->data.data[at] : 0;
	switch (below(m, 4)) {
	case 0: c ^= (uint8_t)(1u << below(m, 8)); break;
	case 1: c = (uint8_t)(c + below(m, 33) - 16); break;
	case 2: c = (uint8_t)(' ' + below(m, 95)); break;
	default: c = (uint8_t)random_next(&m->random);
	}
	put(p, at, 1, &c, 1);
}

// Any length, by what is there already.
static void change_length(struct mutator *m, struct input_part *p, size_t at)
{
	if (!p->data.len || below(m, 2)) {
		put(p, at, p->data.len, "", 0);
		return;
	}
	size_t piece = 1 + below(m, p->data.len - (at < p->data.len ? at : 0)), times = 1 + below(m, 16);
	char *copy = mem_copy(p->data.data + p->data.len - piece, piece);
	for (; times; times--)
		put(p, at, 0, copy, piece);
	mem_free(copy);
}

// --- mutations --------------------------------------------------------------------------------------

static void change(struct mutator *m, struct input_part *p, size_t at)
{
	switch (below(m, 10)) {
	case 0:
	case 1: put_numeral(m, p, at); break;
	case 2: put_bytes(m, p, at); break;
	case 3:
	case 4: put_word(m, p, at); break;
	case 5: change_length(m, p, at); break;
	case 6: put_float(m, p, at); break;
	default: change_byte(m, p, at);
	}
}

// All values of the first relevant bytes, one after the other.
static bool change_single(struct mutator *m, struct input *in)
{
	size_t which = (size_t)(m->round / 256), n = m->n_places < SINGLE ? m->n_places : SINGLE;
	uint8_t value = (uint8_t)m->round;
	if (which >= n || m->places[which].part >= in->n)
		return false;
	put(&in->v[m->places[which].part], m->places[which].offset, 1, &value, 1);
	return true;
}

bool mutate(struct mutator *m, struct input *in)
{
	struct mutate_place at = {0};
	bool single = change_single(m, in);
	m->round++;
	if (single)
		return true;
	if (!m->n_places && !below(m, 4))
		return input_vary(in, m->sym, &m->random);
	for (size_t times = (size_t)1 << below(m, 4); times; times--) {
		if (!choose(m, in, &at))
			return false;
		change(m, &in->v[at.part], at.offset);
	}
	return true;
}
