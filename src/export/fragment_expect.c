// What a case did, as expectations: its result, and what changed in its cells. Numbers and texts by value, pointers by
// where they lead. What differs between two runs is not expected.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/decimal.h"
#include "base/mem.h"
#include "export/fragment_writer.h"

void fragment_seen_init(struct fragment_seen *s, uint32_t cells)
{
	*s = (struct fragment_seen){.n = cells};
	s->before = mem_zero((cells + 1) * sizeof *s->before);
	s->after = mem_zero((cells + 1) * sizeof *s->after);
	s->at = mem_zero((cells + 1) * sizeof *s->at);
}

void fragment_seen_clear(struct fragment_seen *s)
{
	const uint32_t n = s->n;
	const struct fragment_seen *again = s->again;
	fragment_seen_release(s);
	fragment_seen_init(s, n);
	s->again = again;
}

void fragment_seen_release(struct fragment_seen *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		buf_release(&s->before[i]);
		buf_release(&s->after[i]);
	}
	buf_release(&s->result);
	mem_free(s->before);
	mem_free(s->after);
	mem_free(s->at);
	*s = (struct fragment_seen){0};
}

// Of the cells, those that are there as objects of the test.
static bool is_seen(const struct writer *w, uint32_t cell)
{
	enum state_kind kind = w->s.cells[cell].kind;
	return (kind == STATE_GLOBAL && writer_can_name(w, cell)) ||
	       ((kind == STATE_OBJECT || kind == STATE_UNTYPED) && w->objects[cell].is_used);
}

static char *object_name(struct writer *w, uint32_t cell)
{
	if (w->s.cells[cell].kind == STATE_GLOBAL)
		return mem_strdup(writer_global(w, cell));
	return mem_printf("%s_%u", w->c->id, cell);
}

// --- reporting ------------------------------------------------------------------------------------

static void report(struct writer *w)
{
	for (uint32_t i = 0; i < w->s.n; i++) {
		if (!is_seen(w, i))
			continue;
		char *name = object_name(w, i);
		buf_printf(&w->before, "\tveer_see(\"%s\", 'b', %u, (const void *)&%s, sizeof %s);\n", w->c->id, i,
		           name, name);
		buf_printf(&w->checks, "\tveer_see(\"%s\", 'a', %u, (const void *)&%s, sizeof %s);\n", w->c->id, i,
		           name, name);
		mem_free(name);
	}
	if (w->has_result)
		buf_printf(&w->checks, "\tveer_see(\"%s\", 'r', 0, (const void *)&%s, sizeof %s);\n", w->c->id,
		           w->result, w->result);
	buf_printf(&w->checks, "\tveer_see(\"%s\", 'e', 0, 0, 0);\n", w->c->id);
}

// --- expecting ------------------------------------------------------------------------------------

struct expecting {
	struct writer *w;
	const struct state *s;         // whose bytes are what was seen
	const char *base;              // the object
	const uint8_t *before, *again; // before: NULL for the result
};

// Where a pointer of a run led: a cell and the distance from where it starts. False: to none.
static bool leads_to(const struct fragment_seen *seen, uint64_t value, uint32_t *ret_cell, uint64_t *ret_distance)
{
	for (unsigned past = 0; past < 2; past++) // those that it is in come before those it is behind
		for (uint32_t i = 0; i < seen->n; i++)
			if (seen->at[i] && value >= seen->at[i] && value < seen->at[i] + seen->after[i].len + past) {
				*ret_cell = i;
				*ret_distance = value - seen->at[i];
				return true;
			}
	return false;
}

static void expect_pointer(struct expecting *e, const struct state_leaf *leaf)
{
	struct writer *w = e->w;
	uint64_t now, other, from = 0, from_other = 0;
	uint32_t cell = 0, cell_other = 0;
	const struct shape_type *to = &state_table(e->s, leaf->type)->types[state_type(e->s, leaf->type)->of];
	memcpy(&now, e->s->cells[leaf->cell].part.data + leaf->offset, sizeof now);
	memcpy(&other, e->again + leaf->offset, sizeof other);
	bool is_cell = leads_to(w->seen, now, &cell, &from),
	     again = leads_to(w->seen->again, other, &cell_other, &from_other);
	if (!now != !other || is_cell != again || cell != cell_other || from != from_other)
		return;
	if (to->kind == SHAPE_FUNCTION || !is_cell) {
		buf_printf(&w->checks, "\tassert(%s%s %s 0);\n", e->base, leaf->path, now ? "!=" : "==");
	} else {
		struct buf at = {0};
		if (writer_address(w, cell, &at) && from)
			buf_printf(&w->checks, "\tassert((const char *)%s%s == (const char *)%s + %" PRIu64 ");\n",
			           e->base, leaf->path, at.data, from);
		else
			buf_printf(&w->checks, "\tassert((const void *)%s%s == (const void *)%s);\n", e->base,
			           leaf->path, at.data);
		buf_release(&at);
	}
	w->expectations++;
}

static bool is_nan(const struct expecting *e, const struct state_leaf *leaf)
{
	const uint8_t *at = e->s->cells[leaf->cell].part.data + leaf->offset;
	uint16_t h;
	float f;
	double d;
	long double l = 0;
	if (leaf->size == 2)
		return memcpy(&h, at, 2), isnan(decimal_half(h));
	if (leaf->size == 4)
		return memcpy(&f, at, 4), isnan(f);
	if (leaf->size == 8)
		return memcpy(&d, at, 8), isnan(d);
	return memcpy(&l, at, 10), isnan(l);
}

static void expect_number(struct expecting *e, const struct state_leaf *leaf)
{
	struct buf *out = &e->w->checks;
	const struct shape_type *is = state_type(e->s, leaf->type);
	if (is->kind == SHAPE_FLOAT && !state_c_has_constants(e->s, leaf))
		return;
	if (is->kind == SHAPE_FLOAT && is_nan(e, leaf)) {
		buf_printf(out, "\tassert(%s%s != %s%s);\n", e->base, leaf->path, e->base, leaf->path);
	} else {
		buf_printf(out, "\tassert(%s%s == ", e->base, leaf->path);
		state_c_number(e->s, leaf, out);
		buf_addstr(out, ");\n");
	}
	e->w->expectations++;
}

static void expect_bytes(struct expecting *e, const struct state_leaf *leaf)
{
	enum { MOST = 256 };
	const uint8_t *data = e->s->cells[leaf->cell].part.data + leaf->offset;
	const uint8_t *before = e->before ? e->before + leaf->offset : NULL, *again = e->again + leaf->offset;
	for (uint64_t i = 0; i < leaf->size;) { // runs of what changed
		uint64_t n = 0;
		while (i + n < leaf->size && n < MOST && data[i + n] == again[i + n] &&
		       (!before || before[i + n] != data[i + n]))
			n++;
		if (n) {
			if (leaf->kind == STATE_TEXT && !leaf->is_flexible)
				buf_printf(&e->w->checks, "\tassert(memcmp(&%s%s[%" PRIu64 "], ", e->base, leaf->path,
				           i);
			else
				buf_printf(&e->w->checks, "\tassert(memcmp((const char *)&%s + %" PRIu64 ", ", e->base,
				           leaf->offset + i);
			state_c_string(data + i, n, &e->w->checks);
			buf_printf(&e->w->checks, ", %" PRIu64 ") == 0);\n", n);
			e->w->expectations++;
		}
		i += n ? n : 1;
	}
}

static uint64_t bits_of(const uint8_t *data, const struct state_leaf *leaf)
{
	unsigned __int128 value = 0;
	for (uint64_t i = leaf->size; i-- > 0;)
		value = value << 8 | data[leaf->offset + i];
	return (uint64_t)(value >> leaf->bit & ((((unsigned __int128)1) << leaf->bits) - 1));
}

static void expect_leaf(const struct state_leaf *leaf, void *opaque)
{
	struct expecting *e = opaque;
	const struct state_part *p = &e->s->cells[leaf->cell].part;
	if (e->before && memcmp(e->before + leaf->offset, p->data + leaf->offset, leaf->size) == 0)
		return;
	if (e->before && leaf->bits && bits_of(e->before, leaf) == bits_of(p->data, leaf))
		return;
	if (leaf->kind == STATE_RAW || leaf->kind == STATE_TEXT || leaf->is_flexible) {
		if (leaf->kind != STATE_RAW || e->before) // of a union's bytes some may never have been set
			expect_bytes(e, leaf);
		return;
	}
	if (leaf->kind == STATE_POINTER)
		expect_pointer(e, leaf);
	else if (leaf->bits ? bits_of(e->again, leaf) == bits_of(p->data, leaf)
	                    : memcmp(e->again + leaf->offset, p->data + leaf->offset, leaf->size) == 0)
		expect_number(e, leaf);
}

// The cells as they are after the call.
static void expect_cells(struct writer *w)
{
	struct state s = w->s;
	s.cells = mem_zero((s.n + 1) * sizeof *s.cells);
	for (uint32_t i = 0; i < s.n; i++) {
		const struct buf *before = &w->seen->before[i], *after = &w->seen->after[i],
				 *again = &w->seen->again->after[i];
		s.cells[i] = w->s.cells[i];
		size_t size = s.cells[i].part.size;
		if (!is_seen(w, i) || before->len != after->len || again->len != after->len)
			continue;
		s.cells[i].part.size = after->len < size ? after->len : size;
		s.cells[i].part.data = (const uint8_t *)after->data;
		s.cells[i].part.mask = NULL;
		char *name = object_name(w, i);
		char *object = w->objects[i].form == FORM_UNION && w->s.cells[i].kind != STATE_GLOBAL
		                       ? mem_printf("%s.object", name)
		                       : mem_strdup(name);
		struct expecting e = {.w = w,
		                      .s = &s,
		                      .base = object,
		                      .before = (const uint8_t *)before->data,
		                      .again = (const uint8_t *)again->data};
		if (s.cells[i].kind == STATE_UNTYPED ||
		    (w->objects[i].form == FORM_BYTES && s.cells[i].kind != STATE_GLOBAL))
			s.cells[i].kind = STATE_UNTYPED;
		if (s.cells[i].part.size)
			state_walk(&s, i, expect_leaf, &e);
		mem_free(object);
		mem_free(name);
	}
	mem_free(s.cells);
}

static void expect_result(struct writer *w)
{
	struct shape_ref type = {w->s.function.unit, w->t->types[w->fn->type].of};
	struct state_cell cell = {
		.part = {.name = "result", .data = (const uint8_t *)w->seen->result.data, .size = w->seen->result.len},
		.kind = STATE_RESULT,
		.type = type,
		.count = 1,
		.at = SHAPE_NOWHERE};
	struct state s = w->s;
	s.cells = &cell;
	s.n = 1;
	struct expecting e = {
		.w = w, .s = &s, .base = w->result, .again = (const uint8_t *)w->seen->again->result.data};
	unsigned had = w->expectations;
	if (w->seen->result.len == w->seen->again->result.len && w->seen->result.len == state_type(&s, type)->size)
		state_walk(&s, 0, expect_leaf, &e);
	w->has_result = w->expectations > had;
}

void writer_expect(struct writer *w)
{
	uint32_t result = w->t->types[w->fn->type].of;
	w->has_result = result != 0 && w->t->types[result].name != 0 && !w->cut;
	if (!w->seen) {
		report(w);
		return;
	}
	if (w->has_result)
		expect_result(w);
	expect_cells(w);
	if (!w->expectations)
		buf_addstr(&w->checks, w->cut ? "\t/* It comes here. */\n" : "\t/* It comes back. */\n");
}
