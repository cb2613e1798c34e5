// The path condition as SMT-LIB 2. Every node becomes a constant, in the order of the
// labels; only those that are needed are written.
#include <string.h>

#include "base/bug.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "expr/alignment.h"
#include "expr/trace.h"

static void need_table(const struct trace *t, uint32_t lookup, uint8_t *needed)
{
	const uint8_t *bytes;
	const uint32_t *labels;
	const struct trace_table *x = trace_table(t, t->nodes[lookup].b, &bytes, &labels);
	for (uint64_t i = 0; x && labels && i < x->size; i++)
		needed[trace_table_label(t, labels, i, lookup)] = 1;
}

// Operands and the labels of tables are older, so one pass from the top finds everything.
static void close_over(const struct trace *t, uint8_t *needed)
{
	for (uint32_t l = t->n_nodes; l-- > 1;) {
		if (!needed[l])
			continue;
		const struct trace_node *n = &t->nodes[l];
		const uint32_t labels[] = {n->a, n->b, n->c};
		for (unsigned i = 0; i < op_operands(n->op); i++)
			needed[labels[i]] = 1;
		if (n->op == OP_LOOKUP)
			need_table(t, l, needed);
	}
}

static const char *float_sort(unsigned width)
{
	return width == 16 ? "5 11" : width == 32 ? "8 24" : width == 64 ? "11 53" : "15 64";
}

// The 80-bit format has the leading digit as a bit of its own, which SMT-LIB's has not.
static void as_float(struct buf *out, uint32_t label, unsigned width)
{
	if (width == 80)
		buf_printf(out, "((_ to_fp 15 64) (concat ((_ extract 79 64) n%u) ((_ extract 62 0) n%u)))", label,
		           label);
	else
		buf_printf(out, "((_ to_fp %s) n%u)", float_sort(width), label);
}

static void as_bits(struct buf *out, unsigned width, const char *value)
{
	if (width == 80)
		buf_printf(out,
		           "(let ((r (fp.to_ieee_bv %s))) (concat ((_ extract 78 63) r) "
		           "(ite (= ((_ extract 77 63) r) (_ bv0 15)) #b0 #b1) ((_ extract 62 0) r)))",
		           value);
	else
		buf_printf(out, "(fp.to_ieee_bv %s)", value);
}

// What eval_convert computes (abi/eval.h): `x`, of `from` bits, to a signed integer of
// `bits`; the smallest one when it does not fit.
static void print_convert(struct buf *out, const char *x, unsigned from, unsigned bits)
{
	static const char *const limits[] = {[16] = "32768.0", [32] = "2147483648.0", [64] = "9223372036854775808.0"};
	static const char *const below[] = {[16] = "32769.0", [32] = "2147483649.0"};
	const char *sort = float_sort(from);
	bool whole = bits == 64 || from == 32; // no number of the format between -limit - 1 and -limit
	buf_printf(out, "(ite (and (%s %s ((_ to_fp %s) RNE (- %s))) (fp.lt %s ((_ to_fp %s) RNE %s))) ",
	           whole ? "fp.geq" : "fp.gt", x, sort, whole ? limits[bits] : below[bits], x, sort, limits[bits]);
	buf_printf(out, "((_ fp.to_sbv %u) RTZ %s) (bvshl (_ bv1 %u) (_ bv%u %u)))", bits, x, bits, bits - 1, bits);
}

// What eval_to_integer computes.
static void print_to_integer(struct buf *out, const struct trace_node *n, unsigned from)
{
	struct buf x = {0};
	unsigned to = n->width, smallest = from == 80 ? 16 : 32;
	bool is_signed = n->op == OP_FTOSI;
	as_float(&x, n->a, from);
	if (to > 64) {
		buf_printf(out, "((_ fp.to_%s %u) RTZ %s)", is_signed ? "sbv" : "ubv", to, x.data);
	} else if (!is_signed && to == 64) { // twice, the second time less 2^63
		struct buf less = {0};
		buf_printf(&less, "(fp.sub RNE %s ((_ to_fp %s) RNE 9223372036854775808.0))", x.data, float_sort(from));
		buf_addstr(out, "(let ((low ");
		print_convert(out, x.data, from, 64);
		buf_addstr(out, ") (high ");
		print_convert(out, less.data, from, 64);
		if (from == 80)
			buf_printf(out,
			           ")) (ite (fp.lt %s ((_ to_fp %s) RNE 9223372036854775808.0)) low "
			           "(bvxor high (_ bv9223372036854775808 64))))",
			           x.data, float_sort(from));
		else
			buf_addstr(out, ")) (bvor low (bvand high (bvashr low (_ bv63 64)))))");
		buf_release(&less);
	} else {
		unsigned bits = is_signed ? (to <= smallest ? smallest
		                             : to <= 32     ? 32
		                                            : 64)
		                          : (to < smallest ? smallest
		                             : to < 32     ? 32
		                                           : 64);
		buf_printf(out, "((_ extract %u 0) ", to - 1);
		print_convert(out, x.data, from, bits);
		buf_addch(out, ')');
	}
	buf_release(&x);
}

// A node is a constant with an equation. (As functions without arguments, Z3 4.8 takes
// seconds to read chains of some hundred of them.)
static void begin(struct buf *out, uint32_t label, unsigned width)
{
	buf_printf(out, "(declare-const n%u (_ BitVec %u))\n(assert (= n%u ", label, width, label);
}

static void print_operation(struct buf *out, const struct trace_node *n, unsigned from)
{
	static const char *const modes[] = {
		[LIBM_RNE] = "RNE", [LIBM_RNA] = "RNA", [LIBM_RTP] = "RTP", [LIBM_RTN] = "RTN", [LIBM_RTZ] = "RTZ"};
	const uint32_t operands[] = {n->a, n->b, n->c};
	if (n->op == OP_FCALL)
		buf_printf(out, "(fp.roundToIntegral %s", modes[libm_rounding(n->b)]);
	else
		buf_printf(out, "(%s%s", op_smt(n->op), n->op == OP_FNEG || n->op == OP_FABS ? "" : " RNE");
	for (unsigned i = 0; i < op_operands(n->op); i++) {
		buf_addch(out, ' ');
		as_float(out, operands[i], from);
	}
}

static void print_float(const struct trace *t, uint32_t label, const struct trace_node *n, struct buf *out)
{
	unsigned from = t->nodes[n->a].width;
	bool from_integer = op_class(n->op) == OP_CLASS_INTEGER_TO_FLOAT;
	bool unknown = op_is_opaque(n->op, n->b);
	if (unknown || (!from_integer && from != 16 && from != 32 && from != 64 && from != 80)) { // any value
		if (unknown)
			buf_printf(out, "; %s\n",
			           n->op == OP_DECIMAL  ? "a decimal number"
			           : n->op == OP_DIGITS ? "the digits of a number"
			           : n->op == OP_FCALL  ? libm_name(n->b)
			                                : libm_name(n->c));
		buf_printf(out, "(declare-const n%u (_ BitVec %u))\n", label, n->width);
		return;
	}
	bool bit = op_class(n->op) == OP_CLASS_FLOAT_COMPARISON;
	begin(out, label, n->width);
	if (bit && n->op == OP_FUNO) {
		buf_addstr(out, "(ite (or (fp.isNaN ");
		as_float(out, n->a, from);
		buf_addstr(out, ") (fp.isNaN ");
		as_float(out, n->b, from);
		buf_addstr(out, ")) #b1 #b0)");
	} else if (bit) {
		buf_printf(out, "(ite (%s ", op_smt(n->op));
		as_float(out, n->a, from);
		buf_addch(out, ' ');
		as_float(out, n->b, from);
		buf_addstr(out, ") #b1 #b0)");
	} else if (op_class(n->op) == OP_CLASS_FLOAT_TO_INTEGER) {
		print_to_integer(out, n, from);
	} else {
		struct buf value = {0};
		if (from_integer) {
			buf_printf(&value, "((_ to_fp%s %s) RNE n%u)", n->op == OP_UITOF ? "_unsigned" : "",
			           float_sort(n->width), n->a);
		} else if (n->op == OP_FTOF) {
			buf_printf(&value, "((_ to_fp %s) RNE ", float_sort(n->width));
			as_float(&value, n->a, from);
			buf_addch(&value, ')');
		} else {
			print_operation(&value, n, from);
			buf_addch(&value, ')');
		}
		as_bits(out, n->width, value.data);
		buf_release(&value);
	}
	buf_addstr(out, "))\n");
}

// Overflow: the operation at twice the width differs from the extended result.
static void print_overflow(const struct trace *t, const struct trace_node *n, struct buf *out)
{
	unsigned w = t->nodes[n->a].width;
	bool is_signed = n->op == OP_SADDO || n->op == OP_SSUBO || n->op == OP_SMULO;
	const char *op = n->op == OP_UADDO || n->op == OP_SADDO   ? "bvadd"
	                 : n->op == OP_USUBO || n->op == OP_SSUBO ? "bvsub"
	                                                          : "bvmul";
	const char *extend = is_signed ? "sign_extend" : "zero_extend";
	buf_printf(out, "(ite (= (%s ((_ %s %u) n%u) ((_ %s %u) n%u)) ((_ %s %u) (%s n%u n%u))) #b0 #b1)", op, extend,
	           w, n->a, extend, w, n->b, extend, w, op, n->a, n->b);
}

static void print_count(const struct trace *t, const struct trace_node *n, struct buf *out)
{
	unsigned w = t->nodes[n->a].width;
	if (n->op == OP_CTPOP) {
		buf_addstr(out, "(bvadd");
		for (unsigned i = 0; i < w; i++) {
			if (w == 1)
				buf_printf(out, " n%u", n->a);
			else
				buf_printf(out, " ((_ zero_extend %u) ((_ extract %u %u) n%u))", w - 1, i, i, n->a);
		}
		buf_printf(out, " (_ bv0 %u))", w);
		return;
	}
	for (unsigned i = 0; i < w; i++) {
		unsigned bit = n->op == OP_CTLZ ? w - 1 - i : i;
		buf_printf(out, "(ite (= ((_ extract %u %u) n%u) #b1) (_ bv%u %u) ", bit, bit, n->a, i, w);
	}
	buf_printf(out, "(_ bv%u %u)", w, w);
	for (unsigned i = 0; i < w; i++)
		buf_addch(out, ')');
}

static struct alignment_node look(const void *of, uint32_t label)
{
	const struct trace_node *n = &((const struct trace *)of)->nodes[label];
	return (struct alignment_node){.op = n->op, .width = n->width, .a = n->a, .b = n->b};
}

// A table as a tree of comparisons with the offset; where entries are the same, it ends.
struct lookup {
	const struct trace *t;
	const struct trace_node *node;
	uint32_t label;
	const uint8_t *bytes;
	const uint32_t *labels;
	unsigned size, skip; // bytes of an entry; of one byte of a larger value: which
};

static bool same_entries(const struct lookup *x, uint64_t from, uint64_t to)
{
	for (uint64_t i = from * x->size; i < to * x->size; i++)
		if ((x->labels && x->labels[i + x->skip]) ||
		    x->bytes[i + x->skip] != x->bytes[from * x->size + x->skip + i % x->size])
			return from + 1 == to;
	return true;
}

static void print_entry(const struct lookup *x, uint64_t entry, struct buf *out)
{
	buf_addstr(out, x->size > 1 ? "(concat" : "");
	for (unsigned k = x->size; k-- > 0;) {
		uint64_t i = entry * x->size + k + x->skip;
		uint32_t l = trace_table_label(x->t, x->labels, i, x->label);
		buf_addstr(out, x->size > 1 ? " " : "");
		if (l)
			buf_printf(out, "n%u", l);
		else
			buf_printf(out, "#x%02x", x->bytes[i]);
	}
	buf_addstr(out, x->size > 1 ? ")" : "");
}

static void print_entries(const struct lookup *x, uint64_t from, uint64_t to, struct buf *out)
{
	if (same_entries(x, from, to)) {
		print_entry(x, from, out);
		return;
	}
	uint64_t middle = (from + to) / 2;
	buf_printf(out, "(ite (bvult n%u (_ bv%llu 64)) ", x->node->a, (unsigned long long)(middle * x->size));
	print_entries(x, from, middle, out);
	buf_addch(out, ' ');
	print_entries(x, middle, to, out);
	buf_addch(out, ')');
}

// What is outside of the table is 0.
static void print_table(const struct lookup *x, uint64_t entries, struct buf *out)
{
	if (entries) {
		buf_printf(out, "(ite (bvult n%u (_ bv%llu 64)) ", x->node->a, (unsigned long long)(entries * x->size));
		print_entries(x, 0, entries, out);
	}
	buf_printf(out, " (_ bv0 %u)%s", 8 * x->size, entries ? ")" : "");
}

static void print_lookup(const struct trace *t, uint32_t label, struct buf *out)
{
	const struct trace_node *n = &t->nodes[label];
	struct lookup x = {.t = t, .node = n, .label = label, .size = n->width / 8};
	const struct trace_table *table = trace_table(t, n->b, &x.bytes, &x.labels);
	uint64_t size = table ? table->size : 0;
	if (size % x.size == 0 && expr_alignment(look, t, n->a) % x.size == 0) {
		print_table(&x, size / x.size, out);
		return;
	}
	buf_addstr(out, "(concat"); // byte by byte
	for (unsigned k = x.size; k-- > 0;) {
		struct lookup one = x;
		one.size = 1;
		one.skip = k;
		buf_addch(out, ' ');
		print_table(&one, size > k ? size - k : 0, out);
	}
	buf_addch(out, ')');
}

// The operator as SMT-LIB has it.
static void print_function(const struct trace_node *n, struct buf *out)
{
	buf_printf(out, "(%s n%u", op_smt(n->op), n->a);
	if (op_operands(n->op) > 1)
		buf_printf(out, " n%u", n->b);
	buf_addch(out, ')');
}

static void print_resize(const struct trace *t, const struct trace_node *n, struct buf *out)
{
	if (n->op == OP_EXTRACT)
		buf_printf(out, "((_ extract %u %u) n%u)", n->b + n->width - 1, n->b, n->a);
	else if (n->op == OP_CONCAT)
		print_function(n, out);
	else
		buf_printf(out, "((_ %s_extend %u) n%u)", n->op == OP_ZEXT ? "zero" : "sign",
		           n->width - t->nodes[n->a].width, n->a);
}

static void print_node(const struct trace *t, uint32_t label, struct buf *out)
{
	const struct trace_node *n = &t->nodes[label];
	if (op_is_float(n->op)) {
		print_float(t, label, n, out);
		return;
	}
	begin(out, label, n->width);
	switch (op_class(n->op)) {
	case OP_CLASS_LEAF:
		if (n->op == OP_INPUT)
			buf_printf(out, "i%u_%u", n->a, n->b);
		else
			buf_printf(out, "(_ bv%llu %u)", (unsigned long long)(n->b | (uint64_t)n->c << 32), n->width);
		break;
	case OP_CLASS_COMPARISON: buf_printf(out, "(ite (%s n%u n%u) #b1 #b0)", op_smt(n->op), n->a, n->b); break;
	case OP_CLASS_RESIZE: print_resize(t, n, out); break;
	case OP_CLASS_CHOICE: buf_printf(out, "(ite (= n%u #b1) n%u n%u)", n->a, n->b, n->c); break;
	case OP_CLASS_OVERFLOW: print_overflow(t, n, out); break;
	case OP_CLASS_BIT_COUNT: print_count(t, n, out); break;
	case OP_CLASS_TABLE: print_lookup(t, label, out); break;
	case OP_CLASS_ARITHMETIC:
	case OP_CLASS_DIVISION:
	case OP_CLASS_SHIFT:
	case OP_CLASS_BITWISE: print_function(n, out); break;
	case OP_CLASS_FLOAT:
	case OP_CLASS_FLOAT_COMPARISON:
	case OP_CLASS_FLOAT_TO_INTEGER:
	case OP_CLASS_INTEGER_TO_FLOAT:
	case OP_CLASS_FLOAT_TO_FLOAT: BUG("a float that print_float has not written");
	}
	buf_addstr(out, "))\n");
}

// The condition of an event, as it held on the path.
static void print_condition(const struct trace *t, const struct trace_event *e, struct buf *out)
{
	if (e->kind != EVENT_SWITCH) {
		unsigned width = t->nodes[e->label].width;
		if (e->kind == EVENT_CONCRETE)
			buf_printf(out, "(= n%u (_ bv%llu %u))", e->label, (unsigned long long)e->value, width);
		else
			buf_printf(out, "(= n%u #b%u)", e->label, trace_value(e) != 0);
		return;
	}
	unsigned width = t->nodes[e->label].width;
	uint32_t n;
	const struct trace_case *cases = trace_cases(t, e, &n);
	uint64_t target = trace_target(t, e);
	buf_addstr(out, target ? "(or false" : "(not (or false");
	for (uint32_t i = 0; i < n; i++)
		if (target ? cases[i].target == target : cases[i].target != 0)
			buf_printf(out, " (= n%u (_ bv%llu %u))", e->label, (unsigned long long)cases[i].value, width);
	buf_addstr(out, target ? ")" : "))");
}

// --- which conditions count ------------------------------------------------------------------

// Labels that have an input in common, in whatever way, are in one group (union-find).
static uint32_t group_of(uint32_t *group, uint32_t l)
{
	while (group[l] != l)
		l = group[l] = group[group[l]];
	return l;
}

static void join(const struct trace *t, uint32_t *group, uint32_t a, uint32_t b)
{
	if (a && b && a < t->n_nodes && b < t->n_nodes && t->nodes[a].op != OP_CONST && t->nodes[b].op != OP_CONST)
		group[group_of(group, a)] = group_of(group, b);
}

// Bytes of a number belong together, and to what they are the length of.
static void join_inputs(const struct trace *t, uint32_t *group, const uint8_t *needed)
{
	uint32_t *first = mem_zero((t->n_inputs + 1) * sizeof *first);
	for (uint32_t l = 1; l < t->n_nodes; l++) {
		const struct trace_node *n = &t->nodes[l];
		if (!needed[l] || n->op != OP_INPUT || !input_is_number(trace_input_type(t, n->a)))
			continue;
		join(t, group, l, first[n->a]);
		first[n->a] = l;
	}
	mem_free(first);
}

static uint32_t *make_groups(const struct trace *t, const uint8_t *needed)
{
	uint32_t *group = mem_zero((t->n_nodes + 1) * sizeof *group);
	for (uint32_t l = 1; l < t->n_nodes; l++)
		group[l] = l;
	for (uint32_t l = 1; l < t->n_nodes; l++) {
		const struct trace_node *n = &t->nodes[l];
		const uint32_t labels[] = {n->a, n->b, n->c};
		const uint8_t *bytes;
		const uint32_t *table_labels = NULL;
		for (unsigned i = 0; needed[l] && i < op_operands(n->op); i++)
			join(t, group, l, labels[i]);
		const struct trace_table *table =
			needed[l] && n->op == OP_LOOKUP ? trace_table(t, n->b, &bytes, &table_labels) : NULL;
		for (uint64_t i = 0; table && table_labels && i < table->size; i++)
			join(t, group, l, table_labels[i]);
	}
	join_inputs(t, group, needed);
	return group;
}

static bool counts(const struct trace *t, uint32_t i, uint32_t last)
{
	const struct trace_event *e = &t->events[i];
	return e->label && (trace_is_condition(e) || (i == last && e->kind == EVENT_CHECK));
}

// Marks the conditions up to event `last` that have to do with it, and what they need.
static void choose(const struct trace *t, uint32_t last, bool negate, uint8_t *chosen, uint8_t *needed)
{
	for (uint32_t i = 0; i < t->n_events && i <= last; i++)
		if (counts(t, i, last))
			needed[t->events[i].label] = chosen[i] = 1;
	close_over(t, needed);
	if (!negate || !chosen[last])
		return;
	uint32_t *group = make_groups(t, needed);
	uint32_t own = group_of(group, t->events[last].label);
	for (uint32_t i = 0; i < last; i++)
		chosen[i] = chosen[i] && group_of(group, t->events[i].label) == own;
	memset(needed, 0, t->n_nodes);
	for (uint32_t i = 0; i <= last; i++)
		if (chosen[i])
			needed[t->events[i].label] = 1;
	close_over(t, needed);
	mem_free(group);
}

// --- inputs ------------------------------------------------------------------------------------

static void print_byte(uint32_t input, uint32_t offset, uint8_t value, struct buf *out)
{
	buf_printf(out, "(declare-const i%u_%u (_ BitVec 8))\n; was i%u_%u #x%02x\n", input, offset, input, offset,
	           value);
}

// A length that can be made: not much more than it was; and there is always the program's name.
static void print_limits(uint32_t input, bool count, uint32_t value, struct buf *out)
{
	enum { MORE = 4096, MORE_ARGUMENTS = 16 };
	uint32_t least = count, most = value + (count ? MORE_ARGUMENTS : MORE);
	buf_printf(out, "(assert (let ((v (concat i%u_3 i%u_2 i%u_1 i%u_0))) ", input, input, input, input);
	buf_printf(out, "(and (bvule #x%08x v) (bvule v #x%08x))))\n", least, most);
}

// All of what the input was: bytes that are not in the query stay so.
static void print_content(uint32_t input, const uint8_t *bytes, uint32_t size, struct buf *out)
{
	buf_printf(out, "; had %u ", input);
	for (uint32_t i = 0; i < size; i++)
		buf_printf(out, "%02x", bytes[i]);
	buf_addch(out, '\n');
}

// In a comment, which a line break in it would end.
static void print_name(const char *name, struct buf *out)
{
	utf8_clean(out, name, strlen(name));
}

// The bytes that are needed, also those behind the end of an input, which were 0. Of objects
// all of them: solutions name them by their order.
static void print_inputs(const struct trace *t, const uint8_t *needed, struct buf *out)
{
	uint8_t **own = mem_zero((t->n_inputs + 1) * sizeof *own); // of objects: which bytes are needed
	uint32_t *n = mem_zero((t->n_inputs + 1) * sizeof *n);
	for (uint32_t s = 0, size; s < t->n_inputs; s++) {
		struct input_type type = trace_input_type(t, s);
		if (!trace_input_data(t, s, &size) || type.role == INPUT_CONCRETE)
			continue;
		buf_printf(out, "; input %u: %s, %u bytes, ", s, input_type_words(type), size);
		print_name(trace_input_label(t, s), out);
		buf_addch(out, '\n');
		if (!input_is_object(type))
			print_content(s, trace_input_data(t, s, &size), size, out);
		own[s] = input_is_object(type) ? mem_zero((size_t)size + 1) : NULL;
	}
	for (uint32_t l = 1, size; l < t->n_nodes; l++) {
		const struct trace_node *node = &t->nodes[l];
		const uint8_t *bytes = needed[l] && node->op == OP_INPUT ? trace_input_data(t, node->a, &size) : NULL;
		if (!bytes)
			continue;
		if (own[node->a] && node->b < size)
			own[node->a][node->b] = 1;
		else
			print_byte(node->a, node->b, node->b < size ? bytes[node->b] : 0, out);
		n[node->a]++;
	}
	for (uint32_t s = 0, size; s < t->n_inputs; s++) {
		const uint8_t *bytes = trace_input_data(t, s, &size);
		for (uint32_t i = 0; own[s] && i < size; i++) {
			print_byte(s, i, bytes[i], out);
			if (!own[s][i])
				buf_printf(out, "(assert (= i%u_%u #x%02x))\n", s, i, bytes[i]);
		}
		uint32_t value;
		if (bytes && n[s] == 4 && size == 4 && input_is_number(trace_input_type(t, s))) {
			memcpy(&value, bytes, 4);
			print_limits(s, trace_input_type(t, s).role == INPUT_COUNT, value, out);
		}
		mem_free(own[s]);
	}
	mem_free(own);
	mem_free(n);
}

// Of the event that is negated: a run may come to other numbers.
static void print_place(const struct trace *t, const struct trace_event *e, struct buf *out)
{
	const struct trace_site *site = trace_site(t, e->site);
	if (!site)
		return;
	buf_addstr(out, "; negated: ");
	print_name(trace_text(t, site->file), out);
	buf_printf(out, ":%u:%u ", site->line, site->column);
	print_name(trace_text(t, site->function), out);
	buf_addch(out, '\n');
}

void trace_print_smt(const struct trace *t, uint32_t last, bool negate, struct buf *out)
{
	uint8_t *needed = mem_zero((size_t)t->n_nodes + 1), *chosen = mem_zero((size_t)t->n_events + 1);
	negate = negate && last < t->n_events;
	choose(t, last, negate, chosen, needed);
	bool floats = false;
	for (uint32_t l = 1; l < t->n_nodes; l++)
		floats |= needed[l] && op_is_float(t->nodes[l].op);
	buf_addstr(out, floats ? "(set-logic ALL)\n" : "(set-logic QF_BV)\n");
	print_inputs(t, needed, out);
	for (uint32_t l = 1; l < t->n_nodes; l++)
		if (needed[l])
			print_node(t, l, out);
	for (uint32_t i = 0; i < t->n_events && i <= last; i++) {
		bool flip = negate && i == last;
		if (!chosen[i])
			continue;
		if (flip)
			print_place(t, &t->events[i], out);
		buf_addstr(out, flip ? "(assert (not " : "(assert ");
		print_condition(t, &t->events[i], out);
		buf_printf(out, flip ? ")) ; event %u\n" : ") ; event %u\n", i);
	}
	buf_addstr(out, "(check-sat)\n");
	mem_free(chosen);
	mem_free(needed);
}
