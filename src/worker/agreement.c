#include "worker/agreement.h"

#include <stdlib.h>
#include <string.h>

#include "abi/left.h"
#include "base/mem.h"
#include "expr/simplify.h"

enum { BYTES = 512, NUMBER = 8 };

bool agreement_is_clear(const struct agreement_side *s)
{
	if (s->run.end != RUN_EXITED || s->left.end != LEFT_BY_RETURN || s->printed || s->left.full ||
	    s->left.n_calls || s->trace.damaged || s->trace.n_events == s->trace.header->events_max)
		return false;
	for (uint32_t i = 0; i < s->trace.n_events; i++)
		switch (s->trace.events[i].kind) {
		case EVENT_CONCRETE:
		case EVENT_UNMODELLED:
		case EVENT_UNKNOWN:
		case EVENT_LIMIT:
		case EVENT_PASSED:
		case EVENT_WITHIN: // objects that are larger may have more of it
		case EVENT_BEYOND: return false;
		default: break;
		}
	return true;
}

void agreement_path(struct agreement_side *s, uint32_t event, struct condition_list *ret)
{
	for (uint32_t i = 0; i < event && i < s->trace.n_events; i++) {
		uint32_t c = trace_is_condition(&s->trace.events[i]) ? import_condition(&s->import, i) : 0;
		if (c)
			condition_list_add(ret, c);
	}
}

// --- a value --------------------------------------------------------------------------------------

// What events say of a line of the report.
struct value {
	const struct left_value *line;
	uint32_t after[BYTES], before[BYTES]; // expressions; 0: none
	uint32_t n;                           // of `after`
	uint32_t target;
	bool unclear;
};

static struct left_byte byte_of(const struct trace_event *e)
{
	struct left_byte b;
	const uint64_t value = e->value;
	_Static_assert(sizeof b == sizeof value, "as the runtime wrote it");
	memcpy(&b, &value, sizeof b);
	return b;
}

static void take_byte(struct agreement_side *s, const struct trace_event *e, struct left_byte b, struct value *v)
{
	uint32_t x = e->label ? s->import.exprs[e->label] : expr_const(s->import.pool, 8, b.byte);
	if (b.kind >= LEFT_UNCLEAR || b.offset >= BYTES ||
	    (b.kind != LEFT_TARGET && expr_width(s->import.pool, x) != 8)) {
		v->unclear = true;
		return;
	}
	if (b.kind == LEFT_TARGET)
		v->target = x;
	else if (b.kind == LEFT_BEFORE)
		v->before[b.offset] = x;
	else
		v->after[b.offset] = x;
	if (b.kind == LEFT_AFTER && b.offset >= v->n)
		v->n = b.offset + 1u;
}

static void read_value(struct agreement_side *s, uint32_t line, struct value *ret)
{
	*ret = (struct value){.line = &s->left.v[line]};
	for (uint32_t i = 0; i < s->trace.n_events; i++)
		if (s->trace.events[i].kind == EVENT_LEFT) {
			struct left_byte b = byte_of(&s->trace.events[i]);
			if (b.line == line)
				take_byte(s, &s->trace.events[i], b, ret);
		}
}

static bool is_integer(const char *type)
{
	return *type == 'i' || *type == 'u';
}

// A number from its lowest byte on; of an integer also without events. 0: it cannot be expressed.
static uint32_t bytes_of(struct expr_pool *pool, const struct value *v, bool before, uint32_t ret[BYTES])
{
	const char *text = before ? v->line->before : v->line->value;
	uint32_t n = v->n;
	for (uint32_t i = 0; i < n; i++) {
		ret[i] = before && v->before[i] ? v->before[i] : v->after[i];
		if (!ret[i])
			return 0;
	}
	if (n || !is_integer(v->line->type) || !*text || *text == '?')
		return n;
	n = (uint32_t)atoi(v->line->type + 1);
	uint64_t number = *text == '-' ? (uint64_t)strtoll(text, NULL, 10) : strtoull(text, NULL, 10);
	for (uint32_t i = 0; i < n && i < NUMBER; i++)
		ret[i] = expr_const(pool, 8, number >> 8 * i & 0xff);
	return n <= NUMBER ? n : 0;
}

static uint32_t number_of(struct expr_pool *pool, const uint32_t *bytes, uint32_t n, bool is_signed, unsigned width)
{
	uint32_t x = bytes[0];
	for (uint32_t i = 1; i < n; i++)
		x = expr_make(pool, OP_CONCAT, 8 * (i + 1), bytes[i], x, 0);
	return 8 * n < width ? expr_make(pool, is_signed ? OP_SEXT : OP_ZEXT, width, x, 0, 0) : x;
}

// --- two values -----------------------------------------------------------------------------------

struct comparison {
	struct expr_pool *pool;
	uint32_t differs; // so far; 0: never
	bool open;
};

static void add(struct comparison *c, uint32_t condition)
{
	condition = expr_simplify(c->pool, condition);
	if (expr_is_const(c->pool, condition) && !expr_value(c->pool, condition))
		return;
	c->differs = c->differs ? expr_make(c->pool, OP_OR, 1, c->differs, condition, 0) : condition;
}

static void compare_bytes(struct comparison *c, const uint32_t *a, uint32_t n, const char *a_type, const uint32_t *b,
                          uint32_t m, const char *b_type)
{
	struct expr_pool *pool = c->pool;
	if (!n || !m || n > BYTES || m > BYTES) {
		c->open = true;
		return;
	}
	if (n == m) {
		for (uint32_t i = 0; i < n; i++)
			if (a[i] != b[i])
				add(c, expr_not(pool, expr_make(pool, OP_EQ, 1, a[i], b[i], 0)));
		return;
	}
	if (!is_integer(a_type) || !is_integer(b_type) || n > NUMBER || m > NUMBER) {
		c->open = true;
		return;
	}
	uint32_t x = number_of(pool, a, n, *a_type == 'i', 8 * NUMBER),
		 y = number_of(pool, b, m, *b_type == 'i', 8 * NUMBER);
	add(c, expr_not(pool, expr_make(pool, OP_EQ, 1, x, y, 0)));
}

static bool is_constant(const struct value *v)
{
	return !v->n && !v->target && !v->unclear;
}

// `text`: the old version's value in the new one's words.
static void compare(struct comparison *c, const struct value *a, const struct value *b, const char *text)
{
	uint32_t x[BYTES], y[BYTES];
	bool pointers = *a->line->type == 'p' || *b->line->type == 'p';
	if (a->unclear || b->unclear) {
		c->open = true;
	} else if (is_constant(a) && is_constant(b)) {
		if (*text == '?' || *b->line->value == '?')
			c->open = true;
		else if (strcmp(text, b->line->value) != 0)
			compare_bytes(c, x, bytes_of(c->pool, a, false, x), a->line->type, y,
			              bytes_of(c->pool, b, false, y), b->line->type);
	} else if (pointers) {
		c->open |= !a->target || a->target != b->target;
	} else {
		compare_bytes(c, x, bytes_of(c->pool, a, false, x), a->line->type, y, bytes_of(c->pool, b, false, y),
		              b->line->type);
	}
}

// Only one version leaves it; in the other it is what it was.
static void compare_with_before(struct comparison *c, const struct value *v)
{
	uint32_t x[BYTES], y[BYTES];
	if (v->unclear || *v->line->type == 'p' || !*v->line->before) {
		c->open = true;
		return;
	}
	compare_bytes(c, x, bytes_of(c->pool, v, false, x), v->line->type, y, bytes_of(c->pool, v, true, y),
	              v->line->type);
}

static uint32_t find(const struct left *l, const char *place, const bool *seen)
{
	uint32_t i = 0;
	while (i < l->n && (seen[i] || strcmp(l->v[i].place, place) != 0))
		i++;
	return i;
}

static char *value_in_words(const struct convert *c, const char *value)
{
	struct buf out = {0};
	if (*value != '@' && *value != '=')
		return mem_strdup(value);
	buf_addch(&out, *value);
	if (convert_place(c, value + 1, &out))
		return buf_steal(&out);
	buf_release(&out);
	return mem_strdup("?");
}

uint32_t agreement_differs(struct agreement_side *old, struct agreement_side *new, const struct convert *c,
                           bool *ret_open)
{
	struct comparison all = {.pool = old->import.pool};
	struct value *a = mem_zero(sizeof *a), *b = mem_zero(sizeof *b);
	bool *seen = mem_zero(new->left.n + 1);
	for (uint32_t i = 0; i < old->left.n; i++) {
		struct buf place = {0};
		read_value(old, i, a);
		uint32_t k = convert_place(c, a->line->place, &place) ? find(&new->left, place.data, seen) : UINT32_MAX;
		if (k < new->left.n) {
			seen[k] = true;
			read_value(new, k, b);
			char *text = value_in_words(c, a->line->value);
			compare(&all, a, b, text);
			mem_free(text);
		} else if (k == new->left.n) {
			compare_with_before(&all, a);
		} else {
			all.open = true; // of what the new version does not have
		}
		buf_release(&place);
	}
	for (uint32_t k = 0; k < new->left.n; k++)
		if (!seen[k]) {
			read_value(new, k, b);
			compare_with_before(&all, b);
		}
	mem_free(seen);
	mem_free(a);
	mem_free(b);
	*ret_open = all.open;
	return all.differs;
}
