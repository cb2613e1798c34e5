#include "runtime/models/model.h"

#include <string.h>

bool model_is_symbolic_string(const char *s); // models/c/model_c.h
uint64_t model_concretise(uint64_t value);
char *model_variable(char *value);

struct site *model_enter(const void *self, unsigned n, label *arg)
{
	struct site *site = __veer_passing.site;
	bool mine = __veer_passing.target == self;
	__veer_passing.site = NULL;
	for (unsigned i = 0; i < n; i++)
		arg[i] = mine && rt_on ? __veer_passing.args[i] : 0;
	if (mine)
		__veer_passing.target = NULL;
	return site;
}

void model_pass(const void *callee, struct site *site, unsigned n, const label *arg)
{
	__veer_passing.target = callee;
	__veer_passing.site = site;
	memcpy(__veer_passing.args, arg, n * sizeof *arg);
}

void model_give(const void *self, label l, eval_value value, unsigned width)
{
	if (!l || !rt_on)
		return;
	if (rt_width(l) != width)
		l = rt_resize(l, width);
	rt_expect(l, value, "in the result of a model");
	__veer_passing.results[0] = l;
	__veer_passing.source = self;
}

// --- expressions ---------------------------------------------------------------------------

struct sym sym_of(label l, unsigned width, uint64_t value)
{
	return (struct sym){value & (uint64_t)eval_mask(width), l, width};
}

struct sym sym_constant(unsigned width, uint64_t value)
{
	return sym_of(0, width, value);
}

struct sym sym_load(const void *address, unsigned size)
{
	uint64_t value = 0;
	memcpy(&value, address, size);
	return sym_of(rt_load((uint64_t)address, size), 8 * size, value);
}

struct sym sym_byte(const void *address)
{
	return sym_load(address, 1);
}

static label label_of(struct sym a)
{
	return a.l ? a.l : rt_constant(a.width, a.value);
}

struct sym sym_binary(unsigned op, struct sym a, struct sym b)
{
	struct trace_node n = {.op = (uint8_t)op, .width = (uint16_t)(op_gives_bit(op) ? 1 : a.width)};
	struct sym r = {.width = n.width};
	r.value = (uint64_t)eval_node(&n, a.width, a.value, b.value, 0, b.width);
	if (!rt_on || !(a.l | b.l))
		return r;
	label la = label_of(a), lb = label_of(b);
	if (la && lb)
		r.l = rt_binary(op, a.width, la, lb);
	return r;
}

struct sym sym_not(struct sym a)
{
	return sym_of(a.l ? rt_unary(OP_NOT, a.width, a.l) : 0, a.width, ~a.value);
}

struct sym sym_and(struct sym a, struct sym b)
{
	return sym_binary(OP_AND, a, b);
}

struct sym sym_or(struct sym a, struct sym b)
{
	return sym_binary(OP_OR, a, b);
}

struct sym sym_equal(struct sym a, struct sym b)
{
	return sym_binary(OP_EQ, a, b);
}

struct sym sym_is(struct sym a, uint64_t value)
{
	return sym_equal(a, sym_constant(a.width, value));
}

struct sym sym_choose(struct sym condition, struct sym yes, struct sym no)
{
	struct sym r = condition.value ? yes : no;
	if (!condition.l || !rt_on || (yes.l == no.l && yes.value == no.value))
		return r;
	label ly = label_of(yes), ln = label_of(no);
	r.l = ly && ln ? rt_node(OP_ITE, yes.width, condition.l, ly, ln) : 0;
	return r;
}

struct sym sym_extend(struct sym a, unsigned width)
{
	return sym_of(a.l ? rt_unary(OP_ZEXT, width, a.l) : 0, width, a.value);
}

struct sym sym_extend_signed(struct sym a, unsigned width)
{
	return sym_of(a.l ? rt_unary(OP_SEXT, width, a.l) : 0, width, (uint64_t)eval_sign(a.value, a.width));
}

struct sym sym_cut(struct sym a, unsigned width)
{
	return sym_of(rt_extract(a.l, 0, width), width, a.value);
}

// --- strings --------------------------------------------------------------------------------

// The input that the terminator ends, when it is an argument's or the like.
static bool find_continuation(struct model_string *r, label end)
{
	const struct trace_node *n = &rt_nodes[end];
	if (n->op != OP_INPUT || n->a >= rt_trace->inputs)
		return false;
	const struct trace_input *in = &rt_trace->input[n->a];
	if (!input_is_string(in->type) || n->b != in->size - 1)
		return false;
	r->input = n->a;
	r->offset = n->b;
	r->bytes += MODEL_CONTINUE;
	return true;
}

// What is in memory behind a terminator that may be another byte: up to one that is
// always there, and not out of the object.
static void continue_in_object(struct model_string *r)
{
	struct rt_object o;
	if (!rt_object_find((uint64_t)r->at, &o))
		return;
	uint64_t end = o.base + o.size - (uint64_t)r->at, most = r->length + 1 + MODEL_OBJECT;
	bool certain = false;
	while (!certain && r->memory < end && r->memory < most) {
		const char *p = r->at + r->memory++;
		certain = !*p && !rt_any((uint64_t)p, 1);
	}
	r->open = !certain && r->memory == end;
	if (r->memory > r->bytes)
		r->bytes = r->memory;
}

struct model_string model_string(const char *s, uint64_t limit)
{
	struct model_string r = {.at = s, .input = RT_NO_INPUT};
	r.length = strnlen(s, limit);
	r.memory = r.bytes = r.length < limit ? r.length + 1 : limit;
	r.labelled = rt_on && rt_any((uint64_t)s, r.bytes);
	if (!r.labelled || r.length == limit)
		return r;
	label end = rt_load((uint64_t)s + r.length, 1);
	if (end && !find_continuation(&r, end))
		continue_in_object(&r);
	if (r.bytes > limit) {
		r.bytes = limit;
		r.open = false;
	}
	return r;
}

struct model_string model_memory(const void *at, uint64_t size)
{
	return (struct model_string){.at = at,
	                             .length = size,
	                             .memory = size,
	                             .bytes = size,
	                             .input = RT_NO_INPUT,
	                             .labelled = rt_on && rt_any((uint64_t)at, size)};
}

void model_reads(struct site *site, const char *text, uint64_t n)
{
	if (rt_on && rt_sized && n && !rt_any((uint64_t)text + n - 1, 1))
		rt_sized_access(site, (uint64_t)text, n);
}

struct sym model_string_byte(const struct model_string *s, uint64_t i)
{
	if (i < s->memory)
		return sym_byte(s->at + i);
	return sym_of(rt_input_byte(s->input, s->offset + (uint32_t)(i - s->length), 0), 8, 0);
}

// --- for models in C -------------------------------------------------------------------------

bool model_is_symbolic_string(const char *s)
{
	return rt_on && rt_any((uint64_t)s, strlen(s) + 1);
}

char *model_variable(char *value)
{
	rt_variable_asked(value);
	return value;
}

uint64_t model_concretise(uint64_t value)
{
	label arg[1];
	model_enter((const void *)model_concretise, 1, arg);
	rt_concrete(NULL, arg[0], value, REASON_ARGUMENT);
	return value;
}
