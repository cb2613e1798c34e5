#include "expr/import.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

// Marks what the events need, directly or not: operands are older than what uses them.
static uint8_t *find_needed(const struct trace *t)
{
	uint8_t *needed = mem_zero((size_t)t->n_nodes + 1);
	for (uint32_t i = 0; i < t->n_events; i++)
		if (t->events[i].kind != EVENT_INPUT)
			needed[t->events[i].label] = 1;
	for (uint32_t l = t->n_nodes; l-- > 1;) {
		const struct trace_node *n = &t->nodes[l];
		const uint32_t operands[] = {n->a, n->b, n->c};
		for (unsigned i = 0; needed[l] && i < op_operands(n->op); i++)
			needed[operands[i]] = 1;
		const uint8_t *bytes;
		const uint32_t *labels = NULL;
		const struct trace_table *table =
			needed[l] && n->op == OP_LOOKUP ? trace_table(t, n->b, &bytes, &labels) : NULL;
		for (uint64_t i = 0; table && labels && i < table->size; i++)
			needed[trace_table_label(t, labels, i, l)] = 1;
	}
	return needed;
}

static uint32_t import_lookup(struct import *im, uint32_t label)
{
	const struct trace *t = im->trace;
	const struct trace_node *n = &t->nodes[label];
	const uint8_t *bytes = NULL;
	const uint32_t *labels = NULL;
	const struct trace_table *table = trace_table(t, n->b, &bytes, &labels);
	uint32_t size = table ? (uint32_t)table->size : 0, *exprs = NULL;
	assert(im->exprs[n->a]);
	if (labels) {
		exprs = mem_zero(size * sizeof *exprs + 1);
		for (uint32_t i = 0; i < size; i++)
			exprs[i] = im->exprs[trace_table_label(t, labels, i, label)];
	}
	uint32_t index = expr_table(im->pool, bytes ? bytes : (const uint8_t *)"", exprs, size);
	mem_free(exprs);
	return expr_lookup(im->pool, n->width, im->exprs[n->a], index);
}

// The largest value of an input that is a length or count and can still be made: not much more than it was.
// 0: it is none.
static uint32_t most_of(const struct trace *t, uint32_t input)
{
	enum { MORE = 4096, MORE_ARGUMENTS = 16 };
	uint32_t size, was;
	struct input_type type = trace_input_type(t, input);
	const uint8_t *bytes = trace_input_data(t, input, &size);
	if (!input_is_number(type) || !bytes || size != 4)
		return 0;
	memcpy(&was, bytes, 4);
	uint32_t more = type.role == INPUT_COUNT ? MORE_ARGUMENTS : MORE;
	return was < UINT32_MAX - more ? was + more : UINT32_MAX;
}

// Bytes of a length that are 0 for all that can be made are no variables. An input that the trace does not
// describe (it is damaged) has a name of its own.
static uint32_t import_input(struct import *im, const struct trace_node *n)
{
	uint32_t most = n->a < im->trace->n_inputs ? most_of(im->trace, n->a) : 0;
	if (most && n->b < 4 && most >> 8 * n->b == 0)
		return expr_const(im->pool, 8, 0);
	uint32_t source = n->a < im->trace->n_inputs
	                          ? im->sources[n->a]
	                          : expr_source(im->pool, input_source(INPUT_OBJECT, INPUT_BYTES, n->a, "?"));
	return expr_input(im->pool, source, n->b);
}

static uint32_t import_node(struct import *im, uint32_t label)
{
	const struct trace_node *n = &im->trace->nodes[label];
	unsigned operands = op_operands(n->op);
	assert(label && label < im->trace->n_nodes && !im->exprs[label]);
	switch (n->op) {
	case OP_CONST: return expr_const(im->pool, n->width, n->b | (eval_value)n->c << 32);
	case OP_INPUT: return import_input(im, n);
	case OP_LOOKUP: return import_lookup(im, label);
	default:
		return expr_make(im->pool, n->op, n->width, im->exprs[n->a], operands > 1 ? im->exprs[n->b] : n->b,
		                 operands > 2 ? im->exprs[n->c] : n->c);
	}
}

// A damaged trace can have thousands of the same; each is a source of its own.
static void make_new(const struct import *im, uint32_t input, struct input_source *source)
{
	for (uint32_t i = input; i-- > 0;) {
		const struct expr_source *s = &im->pool->sources[im->sources[i]];
		if (s->type.kind == source->type.kind && s->type.role == source->type.role &&
		    s->ordinal >= source->ordinal && strcmp(s->name, source->name) == 0) {
			source->ordinal = s->ordinal + 1;
			return;
		}
	}
}

static void import_sources(struct import *im)
{
	const struct trace *t = im->trace;
	im->sources = mem_zero((t->n_inputs + 1) * sizeof *im->sources);
	for (uint32_t i = 0; i < t->n_inputs; i++) {
		struct input_source source = trace_input_source(t, i);
		make_new(im, i, &source);
		im->sources[i] = expr_source(im->pool, source);
	}
}

uint32_t import_number(struct import *im, uint32_t input)
{
	uint32_t value = 0;
	for (uint32_t i = 0; i < 4 && most_of(im->trace, input); i++) {
		const struct trace_node n = {.op = OP_INPUT, .width = 8, .a = input, .b = i};
		uint32_t byte = import_input(im, &n);
		value = i ? expr_make(im->pool, OP_CONCAT, 8 * (i + 1), byte, value, 0) : byte;
	}
	return value;
}

// A length that can be made; and there is always the program's name.
static void import_limits(struct import *im, uint32_t input)
{
	struct expr_pool *p = im->pool;
	uint32_t most = most_of(im->trace, input), value = import_number(im, input);
	if (!value)
		return;
	im->always = mem_resize(im->always, (im->n_always + 2) * sizeof *im->always);
	im->always[im->n_always++] = expr_make(p, OP_ULE, 1, value, expr_const(p, 32, most), 0);
	if (trace_input_type(im->trace, input).role == INPUT_COUNT)
		im->always[im->n_always++] = expr_make(p, OP_ULE, 1, expr_const(p, 32, 1), value, 0);
}

void import_cover(struct import *im)
{
	const struct trace *t = im->trace;
	if (im->n_seed >= im->pool->n_vars)
		return;
	uint32_t *input_of = mem_zero((im->pool->n_sources + 1) * sizeof *input_of); // + 1
	for (uint32_t s = 0; s < t->n_inputs; s++)
		input_of[im->sources[s]] = s + 1;
	im->seed = mem_resize(im->seed, im->pool->n_vars);
	for (uint32_t v = im->n_seed; v < im->pool->n_vars; v++) {
		const struct expr_var *var = &im->pool->vars[v];
		uint32_t input = input_of[var->source], size = 0;
		const uint8_t *bytes = input ? trace_input_data(t, input - 1, &size) : NULL;
		im->seed[v] = bytes && var->offset < size ? bytes[var->offset] : 0; // 0: also behind the end
	}
	im->n_seed = im->pool->n_vars;
	mem_free(input_of);
}

void import_init(struct import *im, struct expr_pool *pool, const struct trace *t)
{
	*im = (struct import){.pool = pool, .trace = t};
	im->exprs = mem_zero(((size_t)t->n_nodes + 1) * sizeof *im->exprs);
	import_sources(im);
	uint8_t *needed = find_needed(t);
	for (uint32_t l = 1; l < t->n_nodes; l++)
		if (needed[l])
			im->exprs[l] = import_node(im, l);
	mem_free(needed);
	for (uint32_t s = 0; s < t->n_inputs; s++)
		import_limits(im, s);
	import_cover(im);
}

void import_release(struct import *im)
{
	mem_free(im->exprs);
	mem_free(im->sources);
	mem_free(im->seed);
	mem_free(im->always);
	*im = (struct import){0};
}

static int by_value(const void *x, const void *y)
{
	const uint64_t *a = x, *b = y;
	return *a < *b ? -1 : *a > *b;
}

// One of the values, which are sorted; neighbours are a range.
static uint32_t one_of(struct expr_pool *p, uint32_t operand, const uint64_t *values, uint32_t n)
{
	unsigned width = expr_width(p, operand);
	uint32_t any = 0;
	for (uint32_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && values[end] == values[end - 1] + 1;)
			end++;
		uint32_t above = expr_make(p, OP_SUB, width, operand, expr_const(p, width, values[i]), 0);
		uint32_t one = end - i == 1 ? expr_eq(p, operand, values[i])
		                            : expr_make(p, OP_ULE, 1, above, expr_const(p, width, end - i - 1), 0);
		any = any ? expr_make(p, OP_OR, 1, any, one, 0) : one;
	}
	return any ? any : expr_const(p, 1, 0);
}

uint32_t import_goes_to(struct import *im, const struct trace_event *e, uint64_t target)
{
	uint32_t n, n_values = 0, operand = im->exprs[e->label];
	const struct trace_case *cases = trace_cases(im->trace, e, &n);
	uint64_t *values = mem_alloc((n + 1) * sizeof *values);
	assert(e->kind == EVENT_SWITCH && operand);
	for (uint32_t i = 0; i < n; i++)
		if (target ? cases[i].target == target : cases[i].target != 0)
			values[n_values++] = cases[i].value;
	qsort(values, n_values, sizeof *values, by_value);
	uint32_t one = one_of(im->pool, operand, values, n_values);
	mem_free(values);
	return target ? one : expr_not(im->pool, one);
}

uint32_t import_condition(struct import *im, uint32_t event)
{
	assert(event < im->trace->n_events);
	const struct trace_event *e = &im->trace->events[event];
	if (!e->label || (!trace_is_condition(e) && e->kind != EVENT_CHECK))
		return 0;
	uint32_t x = im->exprs[e->label];
	if (e->kind == EVENT_SWITCH)
		return import_goes_to(im, e, trace_target(im->trace, e));
	if (e->kind == EVENT_CONCRETE)
		return expr_eq(im->pool, x, e->value);
	return trace_value(e) ? x : expr_not(im->pool, x);
}
