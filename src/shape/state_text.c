#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/decimal.h"
#include "base/mem.h"
#include "shape/state.h"

// --- numbers --------------------------------------------------------------------------------------

static void add_decimal(struct buf *out, __int128 value, bool is_signed)
{
	unsigned __int128 rest = (unsigned __int128)value;
	char digits[48];
	size_t n = sizeof digits;
	if (is_signed && value < 0) {
		buf_addch(out, '-');
		rest = -rest;
	}
	do
		digits[--n] = (char)('0' + (int)(rest % 10));
	while (rest /= 10);
	buf_add(out, digits + n, sizeof digits - n);
}

static void add_float(const struct state *s, const struct state_leaf *leaf, struct buf *out)
{
	const uint8_t *at = s->cells[leaf->cell].part.data + leaf->offset;
	float f;
	double d;
	long double l = 0;
	uint16_t h;
	const char *name = shape_text(state_table(s, leaf->type), state_type(s, leaf->type)->name);
	if (leaf->size == 2 && strcmp(name, "_Float16") == 0) {
		memcpy(&h, at, sizeof h);
		buf_printf(out, "%a (%.5g)", decimal_half(h), decimal_half(h));
	} else if (leaf->size == 4) {
		memcpy(&f, at, sizeof f);
		buf_printf(out, "%a (%.9g)", (double)f, (double)f);
	} else if (leaf->size == 8) {
		memcpy(&d, at, sizeof d);
		buf_printf(out, "%a (%.17g)", d, d);
	} else if (leaf->size == 16 && strcmp(name, "long double") == 0) {
		memcpy(&l, at, 10);
		buf_printf(out, "%La (%.21Lg)", l, l);
	} else {
		buf_addstr(out, "0x");
		for (uint64_t i = leaf->size; i-- > 0;)
			buf_printf(out, "%02x", at[i]);
	}
}

static const char *enumerator(const struct state *s, const struct state_leaf *leaf)
{
	const struct shape_table *t = state_table(s, leaf->type);
	const struct shape_type *is = state_type(s, leaf->type);
	int64_t value = (int64_t)state_integer(s, leaf);
	for (uint32_t i = 0; is->kind == SHAPE_ENUM && i < is->n; i++)
		if (t->fields[is->first + i].offset == value)
			return shape_text(t, t->fields[is->first + i].name);
	return NULL;
}

static void add_number(const struct state *s, const struct state_leaf *leaf, struct buf *out)
{
	const struct shape_type *is = state_type(s, leaf->type);
	const char *name = enumerator(s, leaf);
	if (is->kind == SHAPE_FLOAT) {
		add_float(s, leaf, out);
		return;
	}
	__int128 value = state_integer(s, leaf);
	if (name) {
		buf_addstr(out, name);
		return;
	}
	if (is->flags & SHAPE_BOOL && value >= 0 && value < 2) {
		buf_addstr(out, value ? "true" : "false");
		return;
	}
	add_decimal(out, value, state_is_signed(s, leaf));
	if (is->flags & SHAPE_CHARACTER && value > ' ' && value <= '~')
		buf_printf(out, " '%c'", (int)value);
}

// --- texts ----------------------------------------------------------------------------------------

void state_c_string(const uint8_t *data, size_t size, struct buf *out)
{
	buf_addch(out, '"');
	for (size_t i = 0; i < size; i++) {
		unsigned char c = data[i];
		if (c == '"' || c == '\\')
			buf_printf(out, "\\%c", c);
		else if (c == '\n')
			buf_addstr(out, "\\n");
		else if (c == '\t')
			buf_addstr(out, "\\t");
		else if (c < ' ' || c > '~' || c == '?')
			buf_printf(out, "\\%03o", c);
		else
			buf_addch(out, (char)c);
	}
	buf_addch(out, '"');
}

static bool byte_matters(const struct state_part *p, uint64_t offset)
{
	return !p->mask || p->mask[offset];
}

// How many bytes of a text, from its start, are a string with its end, all relevant; behind it nothing is. 0:
// it is not so.
static uint64_t string_length(const struct state *s, const struct state_leaf *leaf)
{
	const struct state_part *p = &s->cells[leaf->cell].part;
	uint64_t n = 0;
	while (n < leaf->size && byte_matters(p, leaf->offset + n) && p->data[leaf->offset + n])
		n++;
	for (uint64_t i = n; i < leaf->size; i++)
		if (byte_matters(p, leaf->offset + i) && p->data[leaf->offset + i])
			return 0;
	return n + 1;
}

// "s = "abc"", or the runs of relevant bytes, each in a line of its own.
static void print_text(const struct state *s, const struct state_leaf *leaf, struct buf *out)
{
	const struct state_part *p = &s->cells[leaf->cell].part;
	uint64_t whole = string_length(s, leaf);
	if (whole && (whole > 1 || byte_matters(p, leaf->offset))) {
		buf_printf(out, "%s = ", leaf->place);
		state_c_string(p->data + leaf->offset, whole - 1, out);
		buf_addch(out, '\n');
		return;
	}
	for (uint64_t i = 0; i < leaf->size;) {
		uint64_t n = 0;
		while (i + n < leaf->size && byte_matters(p, leaf->offset + i + n))
			n++;
		if (n > 1) {
			buf_printf(out, "%s[%llu..%llu] = ", leaf->place, (unsigned long long)i,
			           (unsigned long long)(i + n - 1));
			state_c_string(p->data + leaf->offset + i, n, out);
			buf_addch(out, '\n');
		} else if (n == 1) {
			unsigned char c = p->data[leaf->offset + i];
			buf_printf(out, c > ' ' && c <= '~' ? "%s[%llu] = '%c'\n" : "%s[%llu] = %d\n", leaf->place,
			           (unsigned long long)i, c);
		}
		i += n ? n : 1;
	}
}

// --- values ---------------------------------------------------------------------------------------

static void add_target(const struct state *s, const struct state_leaf *leaf, struct buf *out)
{
	uint32_t target = state_target(s, leaf);
	if (target == STATE_NULL) {
		buf_addstr(out, "NULL");
	} else if (target == STATE_KEPT) {
		buf_addstr(out, "as initialised");
	} else if (target == STATE_UNTOUCHED) {
		buf_addstr(out, "not NULL");
	} else {
		const char *name = s->cells[target].part.name;
		buf_printf(out, "%s%s", *name == '*' ? "" : "&", *name == '*' ? name + 1 : name);
	}
}

static void add_raw(const struct state *s, const struct state_leaf *leaf, struct buf *out)
{
	const struct state_part *p = &s->cells[leaf->cell].part;
	buf_addstr(out, "bytes");
	for (uint64_t i = 0; i < leaf->size; i++)
		if (byte_matters(p, leaf->offset + i))
			buf_printf(out, " %02x", p->data[leaf->offset + i]);
		else
			buf_addstr(out, " ..");
}

void state_print_value(const struct state *s, const struct state_leaf *leaf, struct buf *out)
{
	const struct state_part *p = &s->cells[leaf->cell].part;
	switch (leaf->kind) {
	case STATE_NUMBER: add_number(s, leaf, out); break;
	case STATE_TEXT: {
		uint64_t whole = string_length(s, leaf);
		state_c_string(p->data + leaf->offset, whole ? whole - 1 : leaf->size, out);
		break;
	}
	case STATE_POINTER: add_target(s, leaf, out); break;
	case STATE_RAW: add_raw(s, leaf, out); break;
	}
}

struct printer {
	const struct state *s;
	struct buf *out;
};

static void print_leaf(const struct state_leaf *leaf, void *opaque)
{
	struct printer *p = opaque;
	if (!leaf->matters)
		return;
	if (leaf->kind == STATE_TEXT) {
		print_text(p->s, leaf, p->out);
		return;
	}
	if (leaf->kind == STATE_POINTER) {
		uint32_t target = state_target(p->s, leaf);
		const char *own = target < p->s->n ? p->s->cells[target].part.name : "";
		bool is_new = p->s->cells[leaf->cell].part.data[leaf->offset] < FRAGMENT_CELL;
		if (target < p->s->n && (is_new || (*own == '*' && strcmp(own + 1, leaf->place) == 0)))
			return; // what is behind it says so
		if (target == STATE_UNTOUCHED) {
			buf_printf(p->out, "%s != NULL\n", leaf->place);
			return;
		}
	}
	buf_printf(p->out, "%s = ", *leaf->place ? leaf->place : "?");
	state_print_value(p->s, leaf, p->out);
	buf_addch(p->out, '\n');
}

void state_print(const struct state *s, struct buf *out)
{
	struct printer p = {.s = s, .out = out};
	for (uint32_t i = 0; i < s->n; i++)
		state_walk(s, i, print_leaf, &p);
}
