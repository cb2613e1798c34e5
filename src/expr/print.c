// Expressions as C would write them: `x[0] + 5 < (int)y[1]`.
#include <string.h>

#include "expr/trace.h"

static const struct {
	uint8_t op;
	const char *infix;
} infix[] = {
	{OP_ADD, "+"},   {OP_SUB, "-"},   {OP_MUL, "*"},   {OP_UDIV, "/u"},  {OP_SDIV, "/"},
	{OP_UREM, "%u"}, {OP_SREM, "%"},  {OP_SHL, "<<"},  {OP_LSHR, ">>u"}, {OP_ASHR, ">>"},
	{OP_AND, "&"},   {OP_OR, "|"},    {OP_XOR, "^"},   {OP_EQ, "=="},    {OP_ULT, "<u"},
	{OP_ULE, "<=u"}, {OP_SLT, "<"},   {OP_SLE, "<="},  {OP_FADD, "+."},  {OP_FSUB, "-."},
	{OP_FMUL, "*."}, {OP_FDIV, "/."}, {OP_FEQ, "==."}, {OP_FLT, "<."},   {OP_FLE, "<=."},
};

static const char *const names[] = {
#define OP(NAME, operands, result, smt) #NAME,
#include "abi/ops.def"
#undef OP
};

static void print(const struct trace *t, uint32_t label, size_t limit, struct buf *out);

// The name of a length or count, an input of four bytes, when the label is all of them.
static const char *number_name(const struct trace *t, uint32_t label)
{
	uint32_t input = 0;
	for (unsigned byte = 4; byte-- > 0;) {
		const struct trace_node *n = &t->nodes[label];
		if (byte && n->op != OP_CONCAT)
			return NULL;
		const struct trace_node *one = byte ? &t->nodes[n->a] : n;
		if (one->op != OP_INPUT || one->b != byte || (byte < 3 && one->a != input))
			return NULL;
		input = one->a;
		label = n->b;
	}
	uint32_t kind = trace_input_kind(t, input);
	return kind == INPUT_LENGTH || kind == INPUT_COUNT ? trace_input_name(t, input) : NULL;
}

// Small numbers as C would write them, signed when their first bit is set; others in hex.
static void print_number(uint64_t v, unsigned width, struct buf *out)
{
	int64_t s = width > 1 && width <= 64 ? (int64_t)eval_sign(v, width) : 0;
	if (s < 0 && s > -65536)
		buf_printf(out, "%lld", (long long)s);
	else
		buf_printf(out, v < 65536 ? "%llu" : "0x%llx", (unsigned long long)v);
}

// `size` bytes of a table from `at` on, some of which may have labels.
struct element {
	const uint8_t *bytes;
	const uint32_t *labels;
	uint64_t at;
	unsigned size;
};

static void print_element(const struct trace *t, uint32_t lookup, struct element e, size_t limit, struct buf *out)
{
	uint64_t value = 0;
	uint32_t label[8], any = 0;
	for (unsigned i = 0; i < e.size; i++) {
		value |= (uint64_t)e.bytes[e.at + i] << 8 * i;
		any |= label[i] = trace_table_label(t, e.labels, e.at + i, lookup);
	}
	if (!any) {
		print_number(value, 8 * e.size, out);
		return;
	}
	for (unsigned i = e.size; i-- > 0;) {
		if (label[i])
			print(t, label[i], limit, out);
		else
			print_number(e.bytes[e.at + i], 8, out);
		if (i)
			buf_addch(out, ':');
	}
}

// {first, second, ...}[offset in bytes]
static void print_lookup(const struct trace *t, uint32_t label, size_t limit, struct buf *out)
{
	enum { SHOWN = 8 };
	const struct trace_node *n = &t->nodes[label];
	struct element e = {.size = n->width / 8};
	const struct trace_table *table = trace_table(t, n->b, &e.bytes, &e.labels);
	uint64_t elements = table ? table->size / e.size : 0;
	buf_addch(out, '{');
	for (uint64_t i = 0; i < elements && i < SHOWN; i++, e.at += e.size) {
		if (i)
			buf_addstr(out, ", ");
		print_element(t, label, e, limit, out);
	}
	buf_addstr(out, elements > SHOWN ? ", ...}[" : elements ? "}[" : "...}[");
	print(t, n->a, limit, out);
	buf_addch(out, ']');
}

static void print_call(const struct trace *t, const char *name, const struct trace_node *n, unsigned operands,
                       size_t limit, struct buf *out)
{
	const uint32_t labels[] = {n->a, n->b, n->c};
	buf_printf(out, "%s(", name);
	for (unsigned i = 0; i < operands; i++) {
		if (i)
			buf_addstr(out, ", ");
		print(t, labels[i], limit, out);
	}
	buf_addstr(out, ")");
}

static void print(const struct trace *t, uint32_t label, size_t limit, struct buf *out)
{
	if (label == 0 || label >= t->n_nodes || out->len >= limit) {
		buf_addstr(out, "...");
		return;
	}
	const struct trace_node *n = &t->nodes[label];
	for (size_t i = 0; i < sizeof infix / sizeof *infix; i++)
		if (infix[i].op == n->op) {
			buf_addch(out, '(');
			print(t, n->a, limit, out);
			buf_printf(out, " %s ", infix[i].infix);
			print(t, n->b, limit, out);
			buf_addch(out, ')');
			return;
		}
	switch (n->op) {
	case OP_CONST: print_number(n->b | (uint64_t)n->c << 32, n->width, out); break;
	case OP_INPUT: buf_printf(out, "%s[%u]", trace_input_name(t, n->a), n->b); break;
	case OP_NOT:
		buf_addch(out, n->width == 1 ? '!' : '~');
		print(t, n->a, limit, out);
		break;
	case OP_ZEXT:
	case OP_SEXT:
		buf_printf(out, "%c%u(", n->op == OP_ZEXT ? 'u' : 's', n->width);
		print(t, n->a, limit, out);
		buf_addch(out, ')');
		break;
	// Where nothing is written before the operand, the limit goes down: it also bounds the depth.
	case OP_EXTRACT:
		print(t, n->a, limit - (limit > 0), out);
		buf_printf(out, "{%u:%u}", n->b + n->width - 1, n->b);
		break;
	case OP_CONCAT:
		if (number_name(t, label)) {
			buf_addstr(out, number_name(t, label));
			break;
		}
		print(t, n->a, limit - (limit > 0), out);
		buf_addstr(out, ":");
		print(t, n->b, limit, out);
		break;
	case OP_LOOKUP: print_lookup(t, label, limit, out); break;
	case OP_ITE: print_call(t, "ite", n, 3, limit, out); break;
	default: {
		bool two = (n->op >= OP_UADDO && n->op <= OP_SMULO) || n->op == OP_FUNO;
		print_call(t, names[n->op], n, two ? 2 : 1, limit, out);
	}
	}
}

void trace_print(const struct trace *t, uint32_t label, size_t limit, struct buf *out)
{
	print(t, label, out->len + limit, out);
}

void trace_print_value(const struct trace *t, uint32_t label, uint64_t value, struct buf *out)
{
	print_number(value, label && label < t->n_nodes ? t->nodes[label].width : 64, out);
}
