// Values as C writes them.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "shape/state.h"

static void add_unsigned(struct buf *out, unsigned __int128 value)
{
	char digits[48];
	size_t n = sizeof digits;
	do
		digits[--n] = (char)('0' + (int)(value % 10));
	while (value /= 10);
	buf_add(out, digits + n, sizeof digits - n);
}

// --- numbers --------------------------------------------------------------------------------------

static void add_wide(struct buf *out, unsigned __int128 value, bool is_signed)
{
	buf_printf(out, "(%s__int128)((unsigned __int128)0x%llxu << 64 | 0x%llxu)", is_signed ? "" : "unsigned ",
	           (unsigned long long)(value >> 64), (unsigned long long)value);
}

static void add_integer(struct buf *out, __int128 value, uint64_t size, bool is_signed)
{
	unsigned __int128 magnitude = is_signed && value < 0 ? -(unsigned __int128)value : (unsigned __int128)value;
	if (size > 8) {
		add_wide(out, (unsigned __int128)value, is_signed);
		return;
	}
	const char *suffix = size == 8 ? is_signed ? "L" : "UL" : size == 4 && !is_signed ? "u" : "";
	bool is_least = is_signed && value < 0 && size >= 4 && magnitude == (unsigned __int128)1 << (size * 8 - 1);
	if (is_signed && value < 0)
		buf_addch(out, '-');
	add_unsigned(out, is_least ? magnitude - 1 : magnitude);
	buf_addstr(out, suffix);
	if (is_least)
		buf_addstr(out, " - 1");
}

// Not a number, with its sign and the rest of its bits; infinite; or in hexadecimal, exactly, with decimals beside.
static void add_float(struct buf *out, long double value, const char *suffix, uint64_t payload)
{
	if (isnan(value))
		buf_printf(out, "%s__builtin_nan%s(\"0x%llx\")", signbit(value) ? "-" : "", suffix,
		           (unsigned long long)payload);
	else if (isinf(value))
		buf_printf(out, "%s__builtin_inf%s()", value < 0 ? "-" : "", suffix);
	else
		buf_printf(out, "%La%s /* %.21Lg */", value, suffix, value);
}

static bool is_named(const struct state *s, const struct state_leaf *leaf, const char *name)
{
	return strcmp(shape_text(state_table(s, leaf->type), state_type(s, leaf->type)->name), name) == 0;
}

bool state_c_has_constants(const struct state *s, const struct state_leaf *number)
{
	static const char *const names[] = {"_Float16", "float", "double", "long double"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (is_named(s, number, names[i]))
			return true;
	return false;
}

static void float_number(const struct state *s, const struct state_leaf *leaf, struct buf *out)
{
	const uint8_t *at = s->cells[leaf->cell].part.data + leaf->offset;
	float f;
	double d;
	long double l = 0;
	unsigned __int128 bits = state_bits(s, leaf);
	if (is_named(s, leaf, "_Float16")) { // no suffix that all compilers know
		double h = decimal_half((uint16_t)bits);
		buf_addstr(out, "(_Float16)");
		if (isnan(h) || isinf(h)) {
			add_float(out, (float)h, "f", (uint64_t)(bits & 0x1ff) << 13);
		} else {
			buf_printf(out, "%af /* ", h);
			decimal_float(out, at, sizeof(uint16_t));
			buf_addstr(out, " */");
		}
	} else if (is_named(s, leaf, "float")) {
		memcpy(&f, at, sizeof f);
		if (isnan(f) || isinf(f))
			add_float(out, f, "f", (uint64_t)bits & 0x3fffff);
		else
			buf_printf(out, "%af /* %.9g */", (double)f, (double)f);
	} else if (is_named(s, leaf, "double")) {
		memcpy(&d, at, sizeof d);
		if (isnan(d) || isinf(d))
			add_float(out, d, "", (uint64_t)bits & 0x7ffffffffffff);
		else
			buf_printf(out, "%a /* %.17g */", d, d);
	} else if (is_named(s, leaf, "long double")) {
		memcpy(&l, at, 10);
		if (isnan(l) || isinf(l))
			add_float(out, l, "l", (uint64_t)bits & 0x3fffffffffffffff);
		else
			buf_printf(out, "%LaL /* %.21Lg */", l, l);
	} else {
		buf_addstr(out, "0"); // of a kind that C has no constants for
	}
}

static const char *enumerator(const struct state *s, const struct state_leaf *leaf, __int128 value)
{
	const struct shape_table *t = state_table(s, leaf->type);
	const struct shape_type *is = state_type(s, leaf->type);
	for (uint32_t i = 0; is->kind == SHAPE_ENUM && i < is->n; i++)
		if (t->fields[is->first + i].offset == (int64_t)value)
			return shape_text(t, t->fields[is->first + i].name);
	return NULL;
}

void state_c_number(const struct state *s, const struct state_leaf *number, struct buf *out)
{
	const struct shape_type *is = state_type(s, number->type);
	if (is->kind == SHAPE_FLOAT) {
		float_number(s, number, out);
		return;
	}
	__int128 value = state_integer(s, number);
	const char *name = enumerator(s, number, value);
	if (name)
		buf_addstr(out, name);
	else if (is->flags & SHAPE_BOOL)
		buf_addstr(out, value ? "1" : "0");
	else if (is->flags & SHAPE_CHARACTER && value > ' ' && value <= '~' && value != '\'' && value != '\\')
		buf_printf(out, "'%c'", (int)value);
	else
		add_integer(out, value, number->bits ? 4 * (1 + (uint64_t)(number->bits > 32)) : is->size,
		            state_is_signed(s, number));
}

// --- initialisers ---------------------------------------------------------------------------------

struct writer {
	const struct state *s;
	const struct state_c *how;
	struct buf *out;
	const struct shape_field *only;
	size_t start; // of this initialiser
	size_t skip;  // characters of paths that name the field
};

static void add_designator(struct writer *w, const char *path, const char *more)
{
	if (w->out->len > w->start)
		buf_addstr(w->out, ", ");
	if (path[w->skip] || *more)
		buf_printf(w->out, "%s%s = ", path + w->skip, more);
}

static bool byte_matters(const struct state_part *p, uint64_t offset)
{
	return !p->mask || p->mask[offset];
}

// Characters: as a string when all that is relevant is one and there is room for its end, otherwise one by one.
static void add_text(struct writer *w, const struct state_leaf *leaf)
{
	const struct state_part *p = &w->s->cells[leaf->cell].part;
	uint64_t last = 0, known = 0;
	for (uint64_t i = 0; i < leaf->size; i++) {
		bool set = byte_matters(p, leaf->offset + i) && p->data[leaf->offset + i];
		last = set ? i + 1 : last;
		known += set;
	}
	if (!last) // zeros are what it has anyway
		return;
	if (known == last && last < leaf->size) {
		add_designator(w, leaf->path, "");
		state_c_string(p->data + leaf->offset, last, w->out);
		return;
	}
	for (uint64_t i = 0; i < leaf->size; i++) {
		char index[32];
		unsigned char c = p->data[leaf->offset + i];
		if (!byte_matters(p, leaf->offset + i) || !c)
			continue;
		snprintf(index, sizeof index, "[%llu]", (unsigned long long)i);
		add_designator(w, leaf->path, index);
		if (c > ' ' && c <= '~' && c != '\'' && c != '\\')
			buf_printf(w->out, "'%c'", c);
		else
			buf_printf(w->out, "%d",
			           state_type(w->s, leaf->type)->flags & SHAPE_SIGNED ? (signed char)c : c);
	}
}

static bool is_in(const struct writer *w, const struct state_leaf *leaf)
{
	const struct shape_table *t = state_table(w->s, w->s->cells[leaf->cell].type);
	uint64_t from = (uint64_t)w->only->offset;
	return leaf->offset >= from && leaf->offset - from < t->types[w->only->type].size;
}

static void add_leaf(const struct state_leaf *leaf, void *opaque)
{
	struct writer *w = opaque;
	if (!leaf->matters || (w->only && !is_in(w, leaf)))
		return;
	if (leaf->kind == STATE_RAW || leaf->is_flexible) {
		w->how->rest(leaf, w->how->opaque);
		return;
	}
	if (leaf->kind == STATE_TEXT) {
		add_text(w, leaf);
	} else if (leaf->kind == STATE_NUMBER) {
		if (state_bits(w->s, leaf) == 0)
			return;
		add_designator(w, leaf->path, "");
		state_c_number(w->s, leaf, w->out);
	} else {
		struct buf address = {0};
		uint32_t target = state_target(w->s, leaf);
		if (target != STATE_NULL && target != STATE_KEPT &&
		    w->how->address(leaf, target, &address, w->how->opaque)) {
			add_designator(w, leaf->path, "");
			buf_add(w->out, address.data, address.len);
		}
		buf_release(&address);
	}
}

void state_c_initialiser(const struct state *s, uint32_t cell, const struct shape_field *only,
                         const struct state_c *how, struct buf *out)
{
	struct writer w = {.s = s, .how = how, .out = out, .only = only, .start = out->len};
	w.skip = only ? strlen(shape_text(state_table(s, s->cells[cell].type), only->name)) : 0;
	state_walk(s, cell, add_leaf, &w);
}
