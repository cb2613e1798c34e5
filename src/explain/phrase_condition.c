// Conditions, for people.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "explain/explain.h"
#include "explain/phrase_internal.h"
#include "expr/range.h"

enum { PARTS_MAX = 64 };

// --- one ------------------------------------------------------------------------------------------

// A comparison of the highest byte of a number is one of the number.
static bool print_high_byte(struct writing *w, const struct expr_var *v, const struct byteset *s)
{
	unsigned end = 0, count = byteset_count(s);
	if (!phrase_is_number(w->p->pool, v->source) || !v->offset || v->offset + 1 != w->p->sizes[v->source] ||
	    v->offset > 3)
		return false;
	bool below = byteset_has(s, 0);
	while (end < 256 && byteset_has(s, end) == below)
		end++;
	if (count != (below ? end : 256 - end) || end == 256)
		return false;
	buf_printf(w->out, below ? "%s < %u" : "%s >= %u", w->p->names[v->source], end << 8 * v->offset);
	return true;
}

static bool print_set(struct writing *w, uint32_t id, bool holds)
{
	const struct expr_pool *p = w->p->pool;
	const struct byteset all = byteset_all();
	struct byteset s;
	if (!byteset_of(&s, w->p->scratch, id))
		return false;
	const struct expr_var *v = &p->vars[p->only[id]];
	struct buf name = {0};
	s = holds ? s : byteset_not(s);
	if (print_high_byte(w, v, &s))
		return true;
	phrase_input(w->p, v->source, v->offset, 1, &name);
	byteset_print(&s, w->possible ? w->possible : &all, name.data, phrase_is_number(p, v->source), w->out);
	buf_release(&name);
	return true;
}

// Bytes that spell something: "RIFF".
static bool print_text(struct writing *w, uint32_t id, eval_value value)
{
	struct field f;
	uint8_t text[16];
	bool printable = true;
	if (!field_of(w->p->pool, id, &f) || f.bytes < 2 || f.above || phrase_is_number(w->p->pool, f.source))
		return false;
	for (unsigned i = 0; i < f.bytes; i++) {
		text[f.big ? f.bytes - 1 - i : i] = (uint8_t)(value >> 8 * i);
		printable &= (uint8_t)(value >> 8 * i) > ' ' && (uint8_t)(value >> 8 * i) <= '~';
	}
	if (!printable || value >> 4 * f.bytes >> 4 * f.bytes)
		return false;
	phrase_input(w->p, f.source, f.offset, f.bytes, w->out);
	buf_addstr(w->out, " == ");
	explain_bytes(w->out, text, f.bytes, sizeof text);
	return true;
}

static bool is_field(const struct expr_pool *p, uint32_t id)
{
	struct field f;
	return expr_width(p, id) > 1 && field_of(p, id, &f);
}

// An operand of an order. What is printed has no sign unless it is a difference, so the other reading is marked.
static void print_ordered(struct writing *w, uint32_t id, bool is_signed, bool is_float)
{
	const struct expr_pool *p = w->p->pool;
	const struct expr_node *n = &p->nodes[id];
	if (expr_is_const(p, id)) {
		if (!is_float || !print_float(w->out, expr_value(p, id), n->width))
			phrase_number(w->out, expr_value(p, id), n->width, is_signed);
		return;
	}
	bool field = is_field(p, id), negative = !is_float && range_of(p, id)->low < 0;
	bool difference = n->op == OP_SUB ||
	                  (n->op == OP_ADD && expr_is_const(p, n->b) && eval_sign(expr_value(p, n->b), n->width) < 0);
	if (is_signed && negative && field)
		buf_addstr(w->out, "(signed)");
	else if (!is_signed && negative && difference)
		buf_addstr(w->out, "(unsigned)");
	else
		negative = false;
	print(w, id, negative ? T_UNARY : T_COMPARE + 1);
}

// low <= x <= high, written as one subtraction.
static bool print_between(struct writing *w, const struct expr_node *n, bool holds)
{
	const struct expr_pool *p = w->p->pool;
	bool below = expr_is_const(p, n->b);
	uint32_t x = below ? n->a : n->b, end = below ? n->b : n->a;
	const struct expr_node *sum = &p->nodes[x];
	if ((n->op != OP_ULT && n->op != OP_ULE) || !expr_is_const(p, end) ||
	    (sum->op != OP_ADD && sum->op != OP_SUB) || !expr_is_const(p, sum->b) || sum->width > 64)
		return false;
	eval_value one = (eval_value)1, mask = (one << sum->width) - 1, limit = expr_value(p, end);
	eval_value low = (sum->op == OP_ADD ? (eval_value)0 - expr_value(p, sum->b) : expr_value(p, sum->b)) & mask;
	eval_value last = below == (n->op == OP_ULE) ? limit : limit - 1; // of those inside
	bool inside = holds == below;
	if ((below || n->op == OP_ULE) && !limit)
		return false;
	if (low + last > mask || low == 0)
		return false;
	print(w, sum->a, T_COMPARE + 1);
	buf_addstr(w->out, inside ? " in " : " not in ");
	phrase_number(w->out, low, sum->width, false);
	buf_addstr(w->out, "..");
	phrase_number(w->out, low + last, sum->width, false);
	return true;
}

static void print_order(struct writing *w, const struct expr_node *n, bool holds)
{
	static const char *const words[2][2] = {{"<", "<="}, {">", ">="}};
	const struct expr_pool *p = w->p->pool;
	bool is_signed = n->op == OP_SLT || n->op == OP_SLE, is_float = n->op == OP_FLT || n->op == OP_FLE;
	bool or_equal = n->op == OP_ULE || n->op == OP_SLE || n->op == OP_FLE;
	bool swapped = expr_is_const(p, n->a); // numbers stand behind
	if (print_between(w, n, holds))
		return;
	if (is_float && !holds)
		buf_addstr(w->out, "not ");
	bool negated = !holds && !is_float; // not a < b: a >= b
	print_ordered(w, swapped ? n->b : n->a, is_signed, is_float);
	buf_printf(w->out, " %s ", words[swapped != negated][or_equal != negated]);
	print_ordered(w, swapped ? n->a : n->b, is_signed, is_float);
}

static void print_equal(struct writing *w, const struct expr_node *n, bool holds)
{
	const struct expr_pool *p = w->p->pool;
	bool first = expr_is_const(p, n->a);
	uint32_t a = first ? n->b : n->a, b = first ? n->a : n->b;
	size_t from = w->out->len;
	if (expr_is_const(p, b) && print_text(w, a, expr_value(p, b))) {
		char *symbol = holds ? NULL : strstr(w->out->data + from, " == ");
		if (symbol)
			symbol[1] = '!';
		return;
	}
	bool is_signed = !is_field(p, a), is_float = n->op == OP_FEQ;
	print(w, a, T_COMPARE + 1);
	buf_addstr(w->out, holds ? " == " : " != ");
	if (!expr_is_const(p, b))
		print(w, b, T_COMPARE + 1);
	else if (!is_float || !print_float(w->out, expr_value(p, b), expr_width(p, b)))
		phrase_number(w->out, expr_value(p, b), expr_width(p, b), is_signed);
}

static void print_overflow(struct writing *w, const struct expr_node *n, bool holds, enum tightness needed)
{
	static const char *const operators[] = {"+", "+", "-", "-", "*", "*"};
	print_infix(w, operators[n->op - OP_UADDO], n->a, n->b, T_SUM, needed > T_COMPARE ? needed : T_SUM);
	buf_printf(w->out, holds ? " does not fit %u bits" : " fits %u bits", expr_width(w->p->pool, n->a));
}

// --- several conditions ---------------------------------------------------------------------------

struct part {
	uint32_t id;
	bool holds, printed;
	// When only one value of one byte will do:
	bool single;
	uint32_t source, offset;
	uint8_t value;
};

struct parts {
	struct part v[PARTS_MAX];
	size_t n;
	bool all; // all have to hold; otherwise one of them
	bool more;
};

static void gather(const struct expr_pool *p, uint32_t id, bool holds, struct parts *ret)
{
	const struct expr_node *n = &p->nodes[id];
	if (n->op == OP_NOT) {
		gather(p, n->a, !holds, ret);
	} else if (n->width == 1 && n->op == (ret->all == holds ? OP_AND : OP_OR) && p->only[id] == EXPR_MANY &&
	           !ret->more) {
		gather(p, n->a, holds, ret);
		gather(p, n->b, holds, ret);
	} else if (ret->n < PARTS_MAX) {
		ret->v[ret->n++] = (struct part){.id = id, .holds = holds};
	} else {
		ret->more = true;
	}
}

// Of conditions that all hold: one value is left. Of those one of which holds: all but one.
static void find_single(const struct phrasing *phrasing, struct part *part, bool all)
{
	const struct expr_pool *p = phrasing->pool;
	struct byteset s;
	if (!byteset_of(&s, phrasing->scratch, part->id))
		return;
	if (part->holds != all)
		s = byteset_not(s);
	const struct expr_var *v = &p->vars[p->only[part->id]];
	if (byteset_count(&s) != 1)
		return;
	part->single = true;
	part->source = v->source;
	part->offset = v->offset;
	while (!byteset_has(&s, part->value))
		part->value++;
}

static int by_place(const void *x, const void *y)
{
	const struct part *a = x, *b = y;
	if (!a->single || !b->single)
		return a->single ? -1 : b->single ? 1 : a->id < b->id ? -1 : a->id > b->id;
	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

// How many parts from `at` on are single bytes in a row.
static size_t row_at(const struct parts *parts, size_t at)
{
	const struct part *v = parts->v + at;
	size_t n = 0;
	while (at + n < parts->n && v[n].single && v[n].source == v->source && v[n].offset == v->offset + n)
		n++;
	return n;
}

// Single bytes in a row are a text. Returns how many of the parts that is.
static size_t print_row(struct writing *w, const struct parts *parts, size_t at)
{
	const struct part *v = parts->v + at;
	uint8_t text[PARTS_MAX];
	size_t n = row_at(parts, at);
	for (size_t i = 0; i < n; i++)
		text[i] = v[i].value;
	if (n == 0)
		return 0;
	if (phrase_is_number(w->p->pool, v->source) && n > 1) {
		uint32_t number = 0;
		for (size_t i = 0; i < n && i < 4; i++)
			number |= (uint32_t)text[i] << 8 * i;
		phrase_input(w->p, v->source, v->offset, (uint32_t)n, w->out);
		buf_printf(w->out, parts->all ? " == %u" : " != %u", number);
		return n;
	}
	bool whole = n > 1 && !v->offset && !text[n - 1] && input_is_string(w->p->pool->sources[v->source].type);
	if (whole)
		buf_addstr(w->out, w->p->names[v->source]);
	else
		phrase_input(w->p, v->source, v->offset, (uint32_t)n, w->out);
	buf_addstr(w->out, parts->all ? " == " : " != ");
	if (whole)
		explain_bytes(w->out, text, n - 1, 24);
	else if (n == 1)
		explain_byte(w->out, *text);
	else
		explain_bytes(w->out, text, n, 24);
	return n;
}

static void print_parts(struct writing *w, struct parts *parts, enum tightness needed)
{
	enum tightness own = parts->all ? T_AND : T_OR;
	for (size_t i = 0; i < parts->n; i++)
		find_single(w->p, &parts->v[i], parts->all);
	qsort(parts->v, parts->n, sizeof *parts->v, by_place);
	size_t all = row_at(parts, 0);
	bool group = own < needed && all < parts->n;
	print_group(w, group, '(');
	for (size_t i = 0; i < parts->n;) {
		if (i)
			buf_addstr(w->out, parts->all ? " and " : " or ");
		if (i && print_is_full(w))
			break;
		size_t n = print_row(w, parts, i);
		if (!n)
			print_condition(w, parts->v[i].id, parts->v[i].holds, own + 1);
		i += n ? n : 1;
	}
	if (parts->more) {
		buf_addstr(w->out, parts->all ? " and ..." : " or ...");
		w->cut = true;
	}
	print_group(w, group, ')');
}

static void print_bit(struct writing *w, const struct expr_node *n, bool holds)
{
	buf_printf(w->out, "bit %u of ", n->b);
	print(w, n->a, T_UNARY);
	buf_addstr(w->out, holds ? " is set" : " is not set");
}

void print_condition(struct writing *w, uint32_t id, bool holds, enum tightness needed)
{
	const struct expr_node n = w->p->pool->nodes[id];
	struct parts parts = {.all = n.op == OP_AND ? holds : !holds};
	if (print_is_full(w))
		return;
	w->depth++;
	bool group = op_class(n.op) == OP_CLASS_COMPARISON && T_COMPARE < needed;
	print_group(w, group, '(');
	if (n.op == OP_CONST) {
		buf_addstr(w->out, (expr_value(w->p->pool, id) != 0) == holds ? "true" : "false");
	} else if (n.op == OP_NOT) {
		print_condition(w, n.a, !holds, needed);
	} else if (print_set(w, id, holds)) {
	} else if (n.op == OP_EQ || n.op == OP_FEQ) {
		print_equal(w, &n, holds);
	} else if (op_class(n.op) == OP_CLASS_COMPARISON || n.op == OP_FLT || n.op == OP_FLE) {
		print_order(w, &n, holds);
	} else if (op_class(n.op) == OP_CLASS_OVERFLOW) {
		print_overflow(w, &n, holds, needed);
	} else if (n.op == OP_AND || n.op == OP_OR) {
		gather(w->p->pool, id, holds, &parts);
		print_parts(w, &parts, needed);
	} else if (n.op == OP_EXTRACT) {
		print_bit(w, &n, holds);
	} else if (n.op == OP_FUNO) {
		print_infix(w, "or", n.a, n.b, T_OR, needed);
		buf_addstr(w->out, holds ? " is not a number" : " are numbers");
	} else {
		buf_addstr(w->out, holds ? "" : "not ");
		if (n.op == OP_ITE)
			print_choice(w, &n, T_UNARY);
		else
			print_operator(w, id, T_UNARY);
	}
	print_group(w, group, ')');
	w->depth--;
}

// --- all of it ------------------------------------------------------------------------------------

static int by_offset(const void *x, const void *y)
{
	const struct byte_run *a = x, *b = y;
	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

size_t phrase_runs(const struct phrasing *p, uint32_t id, struct byte_run *ret, size_t most)
{
	struct tape *tape = p->scratch;
	size_t n = 0;
	tape_add(tape, id);
	uint32_t n_bytes = tape->n_vars;
	struct byte_run *v = mem_alloc((n_bytes + 1) * sizeof *v);
	for (uint32_t i = 0; i < n_bytes; i++) {
		const struct expr_var *x = &p->pool->vars[tape->vars[i]];
		v[i] = (struct byte_run){x->source, x->offset, 1};
	}
	tape_clear(tape);
	qsort(v, n_bytes, sizeof *v, by_offset);
	for (uint32_t i = 0, k; i < n_bytes; i += k, n++) {
		for (k = 1; i + k < n_bytes && v[i + k].source == v[i].source && v[i + k].offset == v[i].offset + k;)
			k++;
		if (n < most)
			ret[n] = (struct byte_run){v[i].source, v[i].offset, k};
	}
	mem_free(v);
	return n;
}

char *phrase_bytes(const struct phrasing *p, uint32_t id)
{
	enum { RUNS = 4 };
	struct byte_run runs[RUNS];
	struct buf out = {0};
	size_t n = phrase_runs(p, id, runs, RUNS);
	for (size_t i = 0; i < n && i < RUNS; i++) {
		buf_addstr(&out, i ? ", " : "");
		phrase_input(p, runs[i].source, runs[i].offset, runs[i].bytes, &out);
	}
	if (n > RUNS)
		buf_addstr(&out, ", ...");
	return out.data ? buf_steal(&out) : mem_strdup("nothing");
}

// Of choices what the run took, and no more.
static char *print_taken(struct writing *w, uint32_t id, size_t limit, bool is_condition)
{
	struct tape tape;
	struct buf out = {0};
	tape_init(&tape, w->p->pool);
	tape_add(&tape, id);
	tape_load(&tape, w->p->bytes);
	tape_run(&tape);
	*w = (struct writing){.p = w->p, .possible = w->possible, .out = &out, .limit = limit, .taken = &tape};
	if (is_condition)
		print_condition(w, id, true, T_ANY);
	else
		print(w, id, T_ANY);
	tape_release(&tape);
	w->taken = NULL;
	return buf_steal(&out);
}

// Not if the run's choices have left only numbers.
static bool has_name(const struct phrasing *p, const char *text)
{
	for (uint32_t i = 0; i < p->n_names; i++)
		if (strstr(text, p->names[i]))
			return true;
	return false;
}

static char *phrase(const struct phrasing *p, uint32_t id, const struct byteset *possible, size_t limit,
                    bool is_condition)
{
	struct buf out = {0};
	struct writing w = {.p = p, .out = &out, .limit = limit, .possible = possible};
	if (is_condition)
		print_condition(&w, id, true, T_ANY);
	else
		print(&w, id, T_ANY);
	if (!w.cut)
		return buf_steal(&out);
	buf_release(&out);
	char *taken = print_taken(&w, id, limit, is_condition);
	if (!w.cut && has_name(p, taken)) {
		buf_printf(&out, "%s (on this way)", taken);
		mem_free(taken);
		return buf_steal(&out);
	}
	mem_free(taken);
	char *bytes = phrase_bytes(p, id);
	taken = print_taken(&w, id, limit / 3, is_condition);
	size_t end = strlen(taken) < limit / 3 ? strlen(taken) : limit / 3;
	while (end && taken[end - 1] != ' ')
		end--;
	taken[end] = 0;
	if (!is_condition)
		buf_printf(&out, "f(%s)", bytes); // how it begins says little
	else if (has_name(p, taken))
		buf_printf(&out, "on %s: %s...", bytes, taken);
	else
		buf_printf(&out, "a condition on %s", bytes);
	mem_free(bytes);
	mem_free(taken);
	return buf_steal(&out);
}

char *phrase_condition(const struct phrasing *p, uint32_t condition, const struct byteset *possible, size_t limit)
{
	return phrase(p, condition, possible, limit, true);
}

char *phrase_value(const struct phrasing *p, uint32_t id, size_t limit)
{
	return phrase(p, id, NULL, limit, false);
}

// --- what it is in the run ------------------------------------------------------------------------

static void add_now(const struct phrasing *p, uint32_t id, bool is_signed, struct strv *ret)
{
	struct field f;
	struct buf out = {0};
	if (expr_is_const(p->pool, id))
		return;
	eval_value value = expr_eval(p->pool, id, p->bytes);
	if (field_of(p->pool, id, &f) && f.bytes == 1 && !f.above && !phrase_is_number(p->pool, f.source))
		explain_byte(&out, (uint8_t)value);
	else
		phrase_number(&out, value, expr_width(p->pool, id), is_signed);
	strv_take(ret, buf_steal(&out));
}

// Adds the operands of a comparison that are worth telling.
static void add_operands(const struct phrasing *p, uint32_t condition, struct strv *ret)
{
	const struct expr_pool *pool = p->pool;
	bool holds = true;
	for (; pool->nodes[condition].op == OP_NOT; condition = pool->nodes[condition].a)
		holds = !holds;
	const struct expr_node n = pool->nodes[condition];
	bool is_signed = n.op == OP_SLT || n.op == OP_SLE;
	bool constant = n.op == OP_EQ && holds && (expr_is_const(pool, n.a) || expr_is_const(pool, n.b));
	if (op_class(n.op) != OP_CLASS_COMPARISON || constant || expr_width(pool, n.a) == 1)
		return;
	add_now(p, n.a, is_signed, ret);
	add_now(p, n.b, is_signed, ret);
}

char *phrase_now(const struct phrasing *p, uint32_t condition)
{
	struct byteset s;
	struct strv values = {0};
	char *text = NULL;
	if (!byteset_of(&s, p->scratch, condition))
		add_operands(p, condition, &values);
	else if (byteset_count(&s) > 1)
		add_now(p, p->pool->vars[p->pool->only[condition]].expr, false, &values);
	if (values.n == 1)
		text = mem_printf("value %s", values.v[0]);
	else if (values.n == 2)
		text = mem_printf("values %s and %s", values.v[0], values.v[1]);
	strv_release(&values);
	return text;
}
