// Expressions as C would write them: `x[0] + 5 < (int)y[1]`.
#include "expr/print.h"

#include <string.h>

#include "expr/trace.h"

static void print(const struct terms *t, uint32_t id, size_t limit, struct buf *out);

// The name of a length or count, an input of four bytes, when the term is all of them.
static const char *number_name(const struct terms *t, uint32_t id)
{
	uint32_t input = 0;
	for (unsigned byte = 4; byte-- > 0;) {
		struct trace_node n = t->node(t->of, id);
		if (byte && n.op != OP_CONCAT)
			return NULL;
		struct trace_node one = byte ? t->node(t->of, n.a) : n;
		if (one.op != OP_INPUT || one.b != byte || (byte < 3 && one.a != input))
			return NULL;
		input = one.a;
		id = n.b;
	}
	return input_is_number(t->input_type(t->of, input)) ? t->input_label(t->of, input) : NULL;
}

// Small numbers as C would write them, signed when their first bit is set; others in hex.
void terms_print_value(eval_value v, unsigned width, struct buf *out)
{
	eval_signed s = width > 1 ? eval_sign(v, width) : 0;
	if (s < 0 && s > -65536)
		buf_printf(out, "%lld", (long long)s);
	else if (v >> 64)
		buf_printf(out, "0x%llx%016llx", (unsigned long long)(v >> 64), (unsigned long long)v);
	else
		buf_printf(out, v < 65536 ? "%llu" : "0x%llx", (unsigned long long)v);
}

// Places in files are known by their hex numbers, when they have more than one digit.
static void print_input(const struct terms *t, struct trace_node n, struct buf *out)
{
	struct input_type type = t->input_type(t->of, n.a);
	bool file = type.kind == INPUT_FILE && type.role == INPUT_BYTES;
	buf_printf(out, file && n.b >= 16 ? "%s[0x%x]" : "%s[%u]", t->input_label(t->of, n.a), n.b);
}

// `size` bytes of a table from `at` on, some of which may be terms.
static void print_element(const struct terms *t, uint32_t lookup, const uint8_t *bytes, uint64_t at, unsigned size,
                          size_t limit, struct buf *out)
{
	uint64_t value = 0;
	uint32_t ids[8], any = 0;
	for (unsigned i = 0; i < size; i++) {
		value |= (uint64_t)bytes[at + i] << 8 * i;
		any |= ids[i] = t->table_byte(t->of, lookup, at + i);
	}
	if (!any) {
		terms_print_value(value, 8 * size, out);
		return;
	}
	for (unsigned i = size; i-- > 0;) {
		if (ids[i])
			print(t, ids[i], limit, out);
		else
			terms_print_value(bytes[at + i], 8, out);
		if (i)
			buf_addch(out, ':');
	}
}

// {first, second, ...}[offset in bytes]
static void print_lookup(const struct terms *t, uint32_t id, size_t limit, struct buf *out)
{
	enum { SHOWN = 8 };
	struct trace_node n = t->node(t->of, id);
	uint64_t size = 0;
	unsigned each = n.width / 8;
	const uint8_t *bytes = t->table(t->of, id, &size);
	uint64_t elements = bytes ? size / each : 0;
	buf_addch(out, '{');
	for (uint64_t i = 0; i < elements && i < SHOWN; i++) {
		if (i)
			buf_addstr(out, ", ");
		print_element(t, id, bytes, i * each, each, limit, out);
	}
	buf_addstr(out, elements > SHOWN ? ", ...}[" : elements ? "}[" : "...}[");
	print(t, n.a, limit, out);
	buf_addch(out, ']');
}

static void print_call(const struct terms *t, const char *name, struct trace_node n, unsigned operands, size_t limit,
                       struct buf *out)
{
	const uint32_t ids[] = {n.a, n.b, n.c};
	buf_printf(out, "%s(", name);
	for (unsigned i = 0; i < operands; i++) {
		if (i)
			buf_addstr(out, ", ");
		print(t, ids[i], limit, out);
	}
	buf_addstr(out, ")");
}

static void print(const struct terms *t, uint32_t id, size_t limit, struct buf *out)
{
	if (id == 0 || id >= t->n || out->len >= limit) {
		buf_addstr(out, "...");
		return;
	}
	struct trace_node n = t->node(t->of, id);
	if (op_infix(n.op)) {
		buf_addch(out, '(');
		print(t, n.a, limit, out);
		buf_printf(out, " %s ", op_infix(n.op));
		print(t, n.b, limit, out);
		buf_addch(out, ')');
		return;
	}
	switch (n.op) {
	case OP_CONST: terms_print_value(t->value(t->of, id), n.width, out); break;
	case OP_INPUT: print_input(t, n, out); break;
	case OP_NOT:
		buf_addch(out, n.width == 1 ? '!' : '~');
		print(t, n.a, limit, out);
		break;
	case OP_ZEXT:
	case OP_SEXT:
		buf_printf(out, "%c%u(", n.op == OP_ZEXT ? 'u' : 's', n.width);
		print(t, n.a, limit, out);
		buf_addch(out, ')');
		break;
	// Where nothing is written before the operand, the limit goes down: it also bounds the depth.
	case OP_EXTRACT:
		print(t, n.a, limit - (limit > 0), out);
		buf_printf(out, "{%u:%u}", n.b + n.width - 1, n.b);
		break;
	case OP_CONCAT:
		if (number_name(t, id)) {
			buf_addstr(out, number_name(t, id));
			break;
		}
		print(t, n.a, limit - (limit > 0), out);
		buf_addstr(out, ":");
		print(t, n.b, limit, out);
		break;
	case OP_LOOKUP: print_lookup(t, id, limit, out); break;
	case OP_ITE: print_call(t, "ite", n, 3, limit, out); break;
	case OP_FCALL: print_call(t, libm_name(n.b), n, 1, limit, out); break;
	case OP_FCALL2: print_call(t, libm_name(n.c), n, 2, limit, out); break;
	default: print_call(t, op_name(n.op), n, op_operands(n.op), limit, out); // any other operator, by its name
	}
}

void terms_print(const struct terms *t, uint32_t id, size_t limit, struct buf *out)
{
	print(t, id, out->len + limit, out);
}

// --- terms of a trace ----------------------------------------------------------------------------

static struct trace_node trace_term(const void *of, uint32_t label)
{
	return ((const struct trace *)of)->nodes[label];
}

static eval_value constant(const void *of, uint32_t label)
{
	struct trace_node n = trace_term(of, label);
	return n.b | (uint64_t)n.c << 32;
}

static const char *label_of(const void *of, uint32_t input)
{
	return trace_input_label(of, input);
}

static struct input_type type_of(const void *of, uint32_t input)
{
	return trace_input_type(of, input);
}

static const uint8_t *table(const void *of, uint32_t lookup, uint64_t *ret_size)
{
	const uint8_t *bytes = NULL;
	const uint32_t *labels;
	const struct trace_table *x = trace_table(of, trace_term(of, lookup).b, &bytes, &labels);
	*ret_size = x ? x->size : 0;
	return x ? bytes : NULL;
}

static uint32_t table_byte(const void *of, uint32_t lookup, uint64_t i)
{
	const uint8_t *bytes;
	const uint32_t *labels = NULL;
	trace_table(of, trace_term(of, lookup).b, &bytes, &labels);
	return trace_table_label(of, labels, i, lookup);
}

void trace_print(const struct trace *t, uint32_t label, size_t limit, struct buf *out)
{
	const struct terms terms = {t, t->n_nodes, trace_term, constant, label_of, type_of, table, table_byte};
	terms_print(&terms, label, limit, out);
}

void trace_print_value(const struct trace *t, uint32_t label, uint64_t value, struct buf *out)
{
	terms_print_value(value, label && label < t->n_nodes ? t->nodes[label].width : 64, out);
}
