// The check that failed: what it is about, and the values that it had.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "explain/phrase_internal.h"
#include "explain/trace_pair.h"
#include "expr/simplify.h"
#include "expr/tape.h"

enum { CONDITION_BYTES = 400, VALUE_BYTES = 160, ATOMS_MAX = 3, VALUES_MAX = 12 };

struct failing {
	struct explanation *x;
	struct trace_pair *s;
	struct import *of;
	const struct trace_site *site;
	uint32_t atoms[ATOMS_MAX]; // parts of the condition that do not hold: comparisons and the like, as they are
	bool holds[ATOMS_MAX];     // what they should have been
	size_t n_atoms;
};

static eval_value now(const struct failing *f, uint32_t id)
{
	return expr_eval(&f->s->pool, id, f->s->now.seed);
}

// Sizes are counted, too.
static char *number(eval_value value, unsigned width, bool is_signed)
{
	struct buf out = {0};
	phrase_number(&out, value, is_signed || width == 128 ? width : width + 1, true);
	return buf_steal(&out);
}

static unsigned width_of(const struct failing *f, uint32_t id)
{
	return expr_width(&f->s->pool, id);
}

// "index = stdin[3] - '0' = 17 (in the test: 3)"; a number as such needs no line.
static void add_operand(struct failing *f, const char *what, enum operand_side side, uint32_t id, bool is_signed)
{
	struct explanation *x = f->x;
	if (expr_is_const(&f->s->pool, id))
		return;
	char *expression = trace_pair_value(f->s, id, VALUE_BYTES);
	for (size_t i = 0; i < x->n_operands; i++)
		if (strcmp(x->operands[i].expression, expression) == 0) {
			mem_free(expression);
			return;
		}
	x->operands = mem_resize(x->operands, (x->n_operands + 1) * sizeof *x->operands);
	struct explained_operand *o = &x->operands[x->n_operands++];
	*o = (struct explained_operand){.what = what ? mem_strdup(what) : NULL, .side = side, .expression = expression};
	o->now = number(now(f, id), width_of(f, id), is_signed);
	// On another path the test has another expression there.
	if (f->s->has_was && !x->diverges)
		o->was = number(expr_eval(&f->s->pool, id, f->s->was.seed), width_of(f, id), is_signed);
}

// --- parts that do not hold -----------------------------------------------------------------------

static void find_atoms(struct failing *f, uint32_t id, bool wanted, unsigned depth)
{
	const struct expr_pool *p = &f->s->pool;
	const struct expr_node n = p->nodes[id];
	if (depth == 0 || (now(f, id) != 0) == wanted || f->n_atoms == ATOMS_MAX)
		return;
	if (n.op == OP_NOT && n.width == 1) {
		find_atoms(f, n.a, !wanted, depth - 1);
	} else if (n.width == 1 && (n.op == OP_AND || n.op == OP_OR)) {
		find_atoms(f, n.a, wanted, depth - 1);
		find_atoms(f, n.b, wanted, depth - 1);
	} else if ((n.op == OP_XOR || n.op == OP_EQ) && n.width == 1 && width_of(f, n.a) == 1 &&
	           expr_is_const(p, n.b)) {
		bool same = (expr_value(p, n.b) != 0) == (n.op == OP_EQ);
		find_atoms(f, n.a, same ? wanted : !wanted, depth - 1);
	} else {
		f->holds[f->n_atoms] = wanted;
		f->atoms[f->n_atoms++] = id;
	}
}

static const struct expr_node *node(const struct failing *f, uint32_t id)
{
	return &f->s->pool.nodes[id];
}

static bool is_constant(const struct failing *f, uint32_t id)
{
	return expr_is_const(&f->s->pool, id);
}

// What stands behind conversions to wider types.
static uint32_t narrow(const struct failing *f, uint32_t id)
{
	while (node(f, id)->op == OP_ZEXT || node(f, id)->op == OP_SEXT)
		id = node(f, id)->a;
	return id;
}

// --- accesses to an object ------------------------------------------------------------------------

// As it is in the finding's run, also when the object is known from the test's.
static uint64_t size_of(const struct failing *f, const struct trace_object *o)
{
	uint32_t size = o->size_label && o->size_label < f->of->trace->n_nodes ? f->of->exprs[o->size_label] : 0;
	return size ? (uint64_t)now(f, size) : o->size;
}

static char *describe_object(struct failing *f, const struct trace_object *o)
{
	static const char *const kinds[] = {"heap block", "local variable", "global variable", "mapping", "object"};
	const struct trace *t = f->of->trace;
	struct buf out = {0};
	uint64_t size = size_of(f, o);
	buf_addstr(&out, o->kind < OBJECT_KINDS ? kinds[o->kind] : "object");
	if (o->kind == OBJECT_STACK || o->kind == OBJECT_GLOBAL)
		buf_printf(&out, " %s", trace_text(t, o->name));
	buf_printf(&out, " of %" PRIu64 " byte%s", size, size == 1 ? "" : "s");
	if (o->kind == OBJECT_STACK && o->function)
		buf_printf(&out, ", in %s", trace_text(t, o->function));
	const struct trace_site *site = trace_site(t, o->site);
	if (site)
		buf_printf(&out, ", allocated at %s:%u", trace_pair_file(f->s, trace_text(t, site->file)), site->line);
	return buf_steal(&out);
}

// "address - base", where the object begins.
static bool is_offset(const struct failing *f, uint32_t id, const struct trace_object *o)
{
	const struct expr_node *n = node(f, id);
	return n->op == OP_SUB && is_constant(f, n->b) && expr_value(&f->s->pool, n->b) == o->base;
}

// How many bytes were accessed, as the sanitizer says; 0: it does not.
static uint64_t accessed(const struct failing *f)
{
	const char *size = strstr(f->x->finding.report, " of size ");
	return size ? strtoull(size + 9, NULL, 10) : 0;
}

// The comparison of the offset with the last that will do; 0: there is none, since it is a size that is compared.
// An object whose size depends on the input must be large enough for the access, too: that is the first part then.
static uint32_t find_offset(const struct failing *f, uint32_t id, const struct trace_object *o)
{
	const struct expr_node *n = node(f, id);
	if (n->op == OP_AND)
		return node(f, n->b)->op == OP_ULE ? n->b : 0;
	if (n->op != OP_ULE || !is_constant(f, n->b))
		return 0;
	uint64_t bytes = accessed(f), left = o->size - (uint64_t)expr_value(&f->s->pool, n->b);
	bool element = left && left <= 16 && (left & (left - 1)) == 0; // as large as one
	bool offset = bytes ? bytes == left && bytes != (uint64_t)now(f, n->a) : element;
	return is_offset(f, n->a, o) || offset ? id : 0;
}

static void take_offset(struct failing *f, uint32_t comparison, const struct trace_object *o)
{
	const struct expr_node n = *node(f, comparison);
	uint64_t size = size_of(f, o), bytes = accessed(f);
	int64_t offset = (int64_t)now(f, n.a);
	if (!bytes && is_constant(f, n.b))
		bytes = o->size - (uint64_t)expr_value(&f->s->pool, n.b);
	char *access = bytes ? mem_printf("%" PRIu64 " byte%s", bytes, bytes == 1 ? "" : "s") : mem_strdup("access");
	if (offset < 0)
		f->x->verdict = mem_printf("%s at offset %" PRId64 ", before the object of %" PRIu64 " byte%s", access,
		                           offset, size, size == 1 ? "" : "s");
	else
		f->x->verdict = mem_printf("%s at offset %" PRId64 ", where the object has %" PRIu64 " byte%s", access,
		                           offset, size, size == 1 ? "" : "s");
	mem_free(access);
	add_operand(f, "offset", OPERAND_OTHER, trace_pair_relative(f->s, n.a), true);
}

static void take_room(struct failing *f, uint32_t id)
{
	const struct expr_node n = *node(f, id);
	if (n.op != OP_ULE)
		return;
	char *needed = number(now(f, n.a), 64, false), *there = number(now(f, n.b), 64, false);
	f->x->verdict = mem_printf("%s bytes, where there is room for %s", needed, there);
	mem_free(needed);
	mem_free(there);
	add_operand(f, "size", OPERAND_OTHER, n.a, false);
}

static void take_access(struct failing *f, uint32_t id, const struct trace_object *o)
{
	uint32_t comparison = find_offset(f, id, o);
	f->x->object = describe_object(f, o);
	if (comparison)
		take_offset(f, comparison, o);
	else
		take_room(f, id);
	if (o->size_label && o->size_label < f->of->trace->n_nodes && f->of->exprs[o->size_label])
		add_operand(f, "size of the object", OPERAND_OTHER, f->of->exprs[o->size_label], false);
}

// --- undefined behaviour --------------------------------------------------------------------------

static void take_overflow(struct failing *f, const struct expr_node *n)
{
	static const char *const symbols[] = {"+", "+", "-", "-", "*", "*"};
	unsigned width = width_of(f, n->a);
	bool is_signed = n->op == OP_SADDO || n->op == OP_SSUBO || n->op == OP_SMULO;
	char *a = number(now(f, n->a), width, is_signed), *b = number(now(f, n->b), width, is_signed);
	bool negation = n->op == OP_SSUBO && is_constant(f, n->a) && *a == '0';
	f->x->verdict =
		mem_printf("%s%s%s%s%s does not fit %u bits%s", negation ? "" : a, negation ? "" : " ",
	                   symbols[n->op - OP_UADDO], negation ? "" : " ", b, width, is_signed ? ", signed" : "");
	mem_free(a);
	mem_free(b);
	add_operand(f, "left", OPERAND_LEFT, n->a, is_signed);
	add_operand(f, "right", OPERAND_RIGHT, n->b, is_signed);
}

// A comparison of a number with a constant that it has to be below.
static bool take_limited(struct failing *f, uint32_t id, const char *what, enum operand_side side, const char *before,
                         const char *behind)
{
	const struct expr_node n = *node(f, id);
	if ((n.op != OP_ULT && n.op != OP_ULE) || !is_constant(f, n.b))
		return false;
	eval_value end = expr_value(&f->s->pool, n.b) + (n.op == OP_ULE);
	char *value = number(now(f, n.a), width_of(f, n.a), true), *limit = number(end, 64, false);
	struct buf out = {0};
	buf_printf(&out, "%s %s, %s %s%s", what, value, before, limit, behind);
	f->x->verdict = buf_steal(&out);
	mem_free(value);
	mem_free(limit);
	add_operand(f, what, side, n.a, true);
	return true;
}

// What is shifted out to the left must be 0: (left >> (31 - right)) == 0.
static bool take_shifted_out(struct failing *f, uint32_t id)
{
	const struct expr_node n = *node(f, id), *out = node(f, n.a);
	if (n.op != OP_EQ || !is_constant(f, n.b) || out->op != OP_LSHR || node(f, out->b)->op != OP_SUB)
		return false;
	uint32_t left = out->a, right = node(f, out->b)->b;
	unsigned width = width_of(f, left);
	char *a = number(now(f, left), width, true), *b = number(now(f, right), width, true);
	f->x->verdict = mem_printf("%s << %s does not fit %u bits, signed", a, b, width);
	mem_free(a);
	mem_free(b);
	add_operand(f, "left", OPERAND_LEFT, left, true);
	add_operand(f, "right", OPERAND_RIGHT, right, true);
	return true;
}

static void take_zero(struct failing *f, uint32_t id, const char *what)
{
	const struct expr_node n = *node(f, id);
	if (n.op != OP_EQ || !is_constant(f, n.b) || expr_value(&f->s->pool, n.b) != 0)
		return;
	f->x->verdict = mem_printf("%s 0", what);
	add_operand(f, what, OPERAND_RIGHT, narrow(f, n.a), true);
}

static void take_undefined(struct failing *f, uint32_t atom)
{
	const struct expr_node n = *node(f, atom);
	if (op_class(n.op) == OP_CLASS_OVERFLOW)
		take_overflow(f, &n);
	else if (f->site->kind == UBSAN_BOUNDS)
		take_limited(f, atom, "index", OPERAND_INDEX, "in an array of", " elements");
	else if (f->site->kind == UBSAN_SHIFT && !take_shifted_out(f, atom))
		take_limited(f, atom, "shift by", OPERAND_RIGHT, "of a number of", " bits");
	else if (f->site->kind == UBSAN_DIVISION)
		take_zero(f, atom, "divisor");
}

// Of a comparison both sides, whatever it is for.
static void take_sides(struct failing *f, uint32_t atom)
{
	const struct expr_node n = *node(f, atom);
	bool is_signed = n.op == OP_SLT || n.op == OP_SLE;
	if (op_class(n.op) != OP_CLASS_COMPARISON || f->s->pool.only[atom] != EXPR_MANY)
		return; // of a byte alone its value is printed anyway
	add_operand(f, NULL, OPERAND_OTHER, n.a, is_signed);
	add_operand(f, NULL, OPERAND_OTHER, n.b, is_signed);
}

// --- bytes of the input ---------------------------------------------------------------------------

// The bytes as the run had them; NULL: it had none.
static char *bytes_of(const struct import *im, const struct byte_run *v)
{
	enum { SHOWN = 16 };
	const struct trace *t = im->trace;
	struct buf out = {0};
	uint32_t size = 0, number, input = 0, n = v->bytes;
	while (input < t->n_inputs && im->sources[input] != v->source)
		input++;
	const uint8_t *data = input < t->n_inputs ? trace_input_data(t, input, &size) : NULL;
	if (!data || v->offset + n > size)
		return NULL;
	if (phrase_is_number(im->pool, v->source)) {
		if (size < 4)
			return NULL;
		memcpy(&number, data, 4);
		return mem_printf("%u", number);
	}
	bool text = true;
	for (uint32_t i = 0; i < n; i++)
		text &= (data[v->offset + i] >= ' ' && data[v->offset + i] <= '~') || data[v->offset + i] == '\n';
	if (n == 1) {
		explain_byte(&out, data[v->offset]);
		if (data[v->offset] > '~') // it may be a number
			buf_printf(&out, " = %u", data[v->offset]);
	} else if (text) {
		explain_bytes(&out, data + v->offset, n, SHOWN);
	}
	for (uint32_t i = 0; n > 1 && !text && i < n && i < SHOWN; i++)
		buf_printf(&out, i ? " %02x" : "%02x", data[v->offset + i]);
	if (n > SHOWN && !text)
		buf_addstr(&out, " ...");
	return buf_steal(&out);
}

static void add_value(struct failing *f, const struct byte_run *v)
{
	struct explanation *x = f->x;
	struct buf name = {0};
	char *value = bytes_of(&f->s->now, v);
	if (!value)
		return;
	phrase_input(&f->s->words, v->source, v->offset, v->bytes, &name);
	x->values = mem_resize(x->values, (x->n_values + 1) * sizeof *x->values);
	struct explained_value *new = &x->values[x->n_values++];
	*new = (struct explained_value){.name = buf_steal(&name), .now = value};
	new->was = f->s->has_was ? bytes_of(&f->s->was, v) : NULL;
	new->same = new->was &&strcmp(new->was, new->now) == 0;
}

static void take_values(struct failing *f, uint32_t id)
{
	struct byte_run runs[VALUES_MAX];
	size_t n = phrase_runs(&f->s->words, id, runs, VALUES_MAX);
	for (size_t i = 0; i < n && i < VALUES_MAX; i++)
		add_value(f, &runs[i]);
}

// --- all of it ------------------------------------------------------------------------------------

// That the parts which do not hold, had to; all of it when it has no such parts.
static uint32_t demanded(struct failing *f, uint32_t id)
{
	struct expr_pool *p = &f->s->pool;
	uint32_t all = 0;
	for (size_t i = 0; i < f->n_atoms; i++) {
		uint32_t one = f->holds[i] ? f->atoms[i] : expr_not(p, f->atoms[i]);
		all = all ? expr_make(p, OP_AND, 1, all, one, 0) : one;
	}
	return all ? all : id;
}

void failure_take(struct explanation *x, struct trace_pair *s, struct import *of, uint32_t event)
{
	const struct trace_event *e = &of->trace->events[event];
	struct failing f = {.x = x, .s = s, .of = of, .site = trace_site(of->trace, e->site)};
	const struct trace_object *object = trace_object(of->trace, e->check.object);
	uint32_t id = e->label ? of->exprs[e->label] : 0;
	if (!id || !f.site) {
		x->object = object ? describe_object(&f, object) : NULL;
		return;
	}
	find_atoms(&f, id, true, 64);
	if (object)
		take_access(&f, id, object);
	for (size_t i = 0; i < f.n_atoms && !x->verdict; i++)
		take_undefined(&f, f.atoms[i]);
	for (size_t i = 0; i < f.n_atoms && !x->n_operands; i++)
		take_sides(&f, f.atoms[i]);
	uint32_t wanted = demanded(&f, id), chosen;
	x->condition = trace_pair_condition(s, wanted, trace_pair_simple(s, wanted), NULL, CONDITION_BYTES, &chosen);
	take_values(&f, chosen);
}
