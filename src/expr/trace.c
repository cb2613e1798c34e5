#include "expr/trace.h"

#include <assert.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

void trace_reset(struct trace_header *at, uint64_t given)
{
	at->input_bytes = given;
	at->nodes = at->events = at->calls = at->inputs = at->full = at->mismatches = 0;
	at->text = at->checked = 0;
	at->state = TRACE_FREE;
}

static bool inside(size_t size, uint64_t at, uint64_t count, size_t each)
{
	return at <= size && count <= (size - at) / each && at % 8 == 0;
}

static bool is_float(unsigned width)
{
	return width == 16 || width == 32 || width == 64 || width == 80;
}

// A node may refer to earlier nodes of fitting widths only.
static bool node_is_good(const struct trace *t, uint32_t label)
{
	const struct trace_node *n = &t->nodes[label];
	if (n->op >= OP_COUNT || n->width == 0 || n->width > 128)
		return false;
	unsigned operands = op_operands(n->op);
	const uint32_t labels[] = {n->a, n->b, n->c};
	for (unsigned i = 0; i < operands; i++)
		if (labels[i] == 0 || labels[i] >= label)
			return false;
	unsigned wa = operands > 0 ? t->nodes[n->a].width : 0, wb = operands > 1 ? t->nodes[n->b].width : 0;
	if ((op_result(n->op) == OP_RESULT_SAME && n->width != wa) || (op_gives_bit(n->op) && n->width != 1))
		return false;
	switch (op_class(n->op)) {
	case OP_CLASS_LEAF: return n->op == OP_CONST ? n->width <= 64 : n->width == 8;
	case OP_CLASS_RESIZE:
		return n->op == OP_EXTRACT  ? (uint64_t)n->b + n->width <= wa
		       : n->op == OP_CONCAT ? wa + wb == n->width
		                            : wa < n->width;
	case OP_CLASS_CHOICE: return wa == 1 && wb == n->width && t->nodes[n->c].width == n->width;
	case OP_CLASS_TABLE: return wa == 64 && n->width % 8 == 0 && n->width <= 64;
	case OP_CLASS_FLOAT_TO_INTEGER: return is_float(wa) && (operands < 2 || wb == 64);
	case OP_CLASS_INTEGER_TO_FLOAT:
		return is_float(n->width) && (operands < 2 || ((wa == 64 || wa == 128) && wb == 64));
	case OP_CLASS_FLOAT_TO_FLOAT: return is_float(wa) && is_float(n->width);
	case OP_CLASS_FLOAT:
		if ((n->op == OP_FCALL && libm_operands(n->b) != 1) ||
		    (n->op == OP_FCALL2 && libm_operands(n->c) != 2) || (n->op == OP_FMA && t->nodes[n->c].width != wa))
			return false;
		return (operands < 2 || wa == wb) && is_float(wa);
	case OP_CLASS_FLOAT_COMPARISON: return (operands < 2 || wa == wb) && is_float(wa);
	case OP_CLASS_ARITHMETIC:
	case OP_CLASS_DIVISION:
	case OP_CLASS_SHIFT:
	case OP_CLASS_BITWISE:
	case OP_CLASS_COMPARISON:
	case OP_CLASS_OVERFLOW:
	case OP_CLASS_BIT_COUNT: return operands < 2 || wa == wb;
	}
	return false;
}

static bool event_is_good(const struct trace *t, const struct trace_event *e)
{
	static const bool truth[] = {
#define EVENT(NAME, word, condition) condition,
#include "abi/events.def"
#undef EVENT
	};
	if (e->kind >= EVENT_COUNT)
		return false;
	if (e->kind == EVENT_INPUT) // its label is the number of the input
		return true;
	return e->label < t->n_nodes && (!truth[e->kind] || !e->label || t->nodes[e->label].width == 1);
}

// Where the parts of a trace are, and how many of each its header counts; nothing of them is looked at yet. `h`: its
// header, or a copy of that.
static int find_parts(const struct trace_header *h, const void *data, size_t size, struct trace *ret, struct err *err)
{
	if (h->magic != TRACE_MAGIC || h->size > size)
		return err_set(err, "not a trace");
	if (h->state == TRACE_FREE)
		return err_set(err, "no program recorded a trace: none of those that ran was built with CC=veer-cc");
	if (!inside(size, h->nodes_at, h->nodes_max, sizeof(struct trace_node)) ||
	    !inside(size, h->events_at, h->events_max, sizeof(struct trace_event)) ||
	    !inside(size, h->calls_at, h->calls_max, sizeof(struct trace_call)) ||
	    !inside(size, h->text_at, h->text_max, 1))
		return err_set(err, "damaged trace");
	const uint32_t nodes = h->nodes ? h->nodes : 1, calls = h->calls ? h->calls : 1; // with the unused first ones
	*ret = (struct trace){
		.header = h,
		.nodes = (const struct trace_node *)((const char *)data + h->nodes_at),
		.n_nodes = nodes < h->nodes_max ? nodes : h->nodes_max,
		.events = (const struct trace_event *)((const char *)data + h->events_at),
		.n_events = h->events < h->events_max ? h->events : h->events_max,
		.calls = (const struct trace_call *)((const char *)data + h->calls_at),
		.n_calls = calls < h->calls_max ? calls : h->calls_max,
		.text = (const uint8_t *)data + h->text_at,
		.text_size = h->text < h->text_max ? h->text : h->text_max,
		.n_inputs = h->inputs < TRACE_INPUTS ? h->inputs : TRACE_INPUTS,
		.damaged = h->nodes > h->nodes_max || h->events > h->events_max || h->calls > h->calls_max ||
	                   h->text > h->text_max || h->inputs > TRACE_INPUTS,
	};
	return 0;
}

// Cuts off what does not make sense.
static void check_parts(struct trace *t)
{
	const uint32_t nodes = t->n_nodes, events = t->n_events, calls = t->n_calls;
	for (t->n_nodes = 1; t->n_nodes < nodes && node_is_good(t, t->n_nodes);)
		t->n_nodes++;
	for (t->n_events = 0; t->n_events < events && event_is_good(t, &t->events[t->n_events]);)
		t->n_events++;
	for (t->n_calls = 1; t->n_calls < calls && t->calls[t->n_calls].parent < t->n_calls;)
		t->n_calls++;
	t->damaged |= t->n_nodes < nodes || t->n_events < events || t->n_calls < calls;
}

int trace_read(const void *data, size_t size, struct trace *ret, struct err *err)
{
	struct trace t;
	if (size < sizeof(struct trace_header))
		return err_set(err, "not a trace");
	if (find_parts(data, data, size, &t, err) < 0)
		return -1;
	check_parts(&t);
	*ret = t;
	return 0;
}

// Copies `n` things behind what is there.
static const void *copy_part(char **at, const void *from, size_t n, size_t each)
{
	char *to = *at;
	if (n)
		memcpy(to, from, n * each);
	*at += (n * each + 7) & ~(size_t)7;
	return to;
}

static size_t head_size(const struct trace *t)
{
	return offsetof(struct trace_header, input) + t->n_inputs * sizeof(struct trace_input);
}

static size_t copy_size(const struct trace *t)
{
	return head_size(t) + t->n_nodes * sizeof *t->nodes + t->n_events * sizeof *t->events +
	       t->n_calls * sizeof *t->calls + t->text_size + 8 * 5;
}

static void copy_parts(const struct trace *t, char *at, struct trace *ret)
{
	*ret = *t;
	ret->header = copy_part(&at, t->header, head_size(t), 1);
	ret->nodes = copy_part(&at, t->nodes, t->nodes ? t->n_nodes : 0, sizeof *t->nodes);
	ret->events = copy_part(&at, t->events, t->n_events, sizeof *t->events);
	ret->calls = copy_part(&at, t->calls, t->calls ? t->n_calls : 0, sizeof *t->calls);
	ret->text = copy_part(&at, t->text, t->text_size, 1);
}

void *trace_copy(const struct trace *t, struct trace *ret, size_t *ret_size)
{
	*ret_size = copy_size(t);
	char *memory = mem_alloc(*ret_size);
	copy_parts(t, memory, ret);
	return memory;
}

// Each word of the original is read once: what is checked is the copy.
int trace_take(const void *data, size_t size, struct buf *memory, struct trace *ret, struct err *err)
{
	const struct trace_header *original = data;
	struct trace_header head;
	struct trace t;
	if (size < sizeof head)
		return err_set(err, "not a trace");
	memcpy(&head, original, offsetof(struct trace_header, input));
	if (find_parts(&head, data, size, &t, err) < 0)
		return -1;
	memcpy(head.input, original->input, t.n_inputs * sizeof *head.input);
	memory->len = 0;
	buf_reserve(memory, copy_size(&t));
	copy_parts(&t, memory->data, ret);
	check_parts(ret);
	return 0;
}

static void put(struct buf *out, uint64_t at, const void *data, size_t size)
{
	static const char zeros[4096];
	assert(out->len <= at && at - out->len <= sizeof zeros);
	buf_add(out, zeros, at - out->len);
	buf_add(out, data, size);
}

void trace_encode(const struct trace *t, struct buf *out)
{
	const struct trace_sizes sizes = {
		.nodes = t->n_nodes, .events = t->n_events, .calls = t->n_calls, .text = t->text_size};
	struct trace_header *h = mem_alloc(sizeof *h);
	trace_layout(sizes, t->header->flags, h);
	h->state = TRACE_ENDED;
	h->nodes = t->n_nodes;
	h->events = t->n_events;
	h->calls = t->n_calls;
	h->text = t->text_size;
	h->inputs = t->n_inputs;
	h->full = t->header->full;
	h->checked = t->header->checked;
	h->mismatches = t->header->mismatches;
	memcpy(h->input, t->header->input, t->n_inputs * sizeof *h->input);
	put(out, 0, h, sizeof *h);
	put(out, h->nodes_at, t->nodes, t->n_nodes * sizeof *t->nodes);
	put(out, h->events_at, t->events, t->n_events * sizeof *t->events);
	put(out, h->calls_at, t->calls, t->n_calls * sizeof *t->calls);
	put(out, h->text_at, t->text, t->text_size);
	put(out, h->size, "", 0);
	mem_free(h);
}

int trace_save(const struct trace *t, const char *path, struct err *err)
{
	struct buf out = {0};
	trace_encode(t, &out);
	int r = file_output(path, out.data, out.len, 0666, err);
	buf_release(&out);
	return r;
}

const char *trace_text(const struct trace *t, uint32_t offset)
{
	uint64_t at = 8 * (uint64_t)offset;
	if (!offset || at >= t->text_size || !memchr(t->text + at, 0, t->text_size - at))
		return "?";
	return (const char *)t->text + at;
}

static const void *text_bytes(const struct trace *t, uint32_t offset, uint64_t size)
{
	uint64_t at = 8 * (uint64_t)offset;
	return offset && at <= t->text_size && size <= t->text_size - at ? t->text + at : NULL;
}

const struct trace_site *trace_site(const struct trace *t, uint32_t offset)
{
	return text_bytes(t, offset, sizeof(struct trace_site));
}

const struct trace_call *trace_call(const struct trace *t, uint32_t index)
{
	return index && index < t->n_calls ? &t->calls[index] : NULL;
}

const struct trace_module *trace_module(const struct trace *t, uint32_t offset)
{
	return text_bytes(t, offset, sizeof(struct trace_module));
}

const struct trace_object *trace_object(const struct trace *t, uint32_t offset)
{
	const struct trace_object *o = text_bytes(t, offset, sizeof *o);
	return o && o->kind < OBJECT_KINDS && o->size_label < t->n_nodes ? o : NULL;
}

const struct trace_table *trace_table(const struct trace *t, uint32_t offset, const uint8_t **ret_bytes,
                                      const uint32_t **ret_labels)
{
	const struct trace_table *table = text_bytes(t, offset, sizeof *table);
	if (!table || table->size > TRACE_TABLE_MAX)
		return NULL;
	uint64_t all = sizeof *table + table->size, labels_at = (all + 7) & ~(uint64_t)7;
	if (table->labelled)
		all = labels_at + 4 * table->size;
	if (!text_bytes(t, offset, all))
		return NULL;
	*ret_bytes = (const uint8_t *)(table + 1);
	*ret_labels = table->labelled ? (const uint32_t *)((const uint8_t *)table + labels_at) : NULL;
	return table;
}

uint32_t trace_table_label(const struct trace *t, const uint32_t *labels, uint64_t i, uint32_t lookup)
{
	return labels && labels[i] < lookup && lookup < t->n_nodes && t->nodes[labels[i]].width == 8 ? labels[i] : 0;
}

const char *trace_input_label(const struct trace *t, uint32_t source)
{
	return source < t->n_inputs ? trace_text(t, t->header->input[source].label) : "?";
}

struct input_type trace_input_type(const struct trace *t, uint32_t source)
{
	struct input_type type = {INPUT_OBJECT, INPUT_CONCRETE};
	if (source < t->n_inputs)
		type = t->header->input[source].type;
	if (type.kind >= INPUT_KINDS || type.role >= INPUT_ROLES) // damaged
		type = (struct input_type){INPUT_OBJECT, INPUT_CONCRETE};
	return type;
}

struct input_source trace_input_source(const struct trace *t, uint32_t source)
{
	const struct trace_input *in = source < t->n_inputs ? &t->header->input[source] : NULL;
	struct input_source s = {.type = trace_input_type(t, source), .ordinal = in ? in->ordinal : 0, .name = ""};
	if (in && in->name)
		s.name = trace_text(t, in->name);
	return s;
}

const uint8_t *trace_input_data(const struct trace *t, uint32_t source, uint32_t *ret_size)
{
	if (source >= t->n_inputs)
		return NULL;
	const struct trace_input *in = &t->header->input[source];
	*ret_size = in->size;
	return text_bytes(t, in->data, in->size);
}

const struct trace_case *trace_cases(const struct trace *t, const struct trace_event *e, uint32_t *ret_n)
{
	const struct trace_site *site = trace_site(t, e->site);
	const struct trace_case *cases =
		site ? text_bytes(t, site->extra, sizeof(struct trace_case) * (uint64_t)site->extra_size) : NULL;
	*ret_n = cases ? site->extra_size : 0;
	return cases;
}

static const struct trace_case *case_of(const struct trace *t, const struct trace_event *e)
{
	uint32_t n;
	const struct trace_case *cases = trace_cases(t, e, &n);
	for (uint32_t i = 0; i < n; i++)
		if (cases[i].value == e->value)
			return &cases[i];
	return NULL;
}

bool trace_is_case(const struct trace *t, const struct trace_event *e)
{
	return case_of(t, e) != NULL;
}

uint64_t trace_target(const struct trace *t, const struct trace_event *e)
{
	const struct trace_case *c = case_of(t, e);
	return c ? c->target : 0;
}

bool trace_is_condition(const struct trace_event *e)
{
	static const bool condition[] = {
#define EVENT(NAME, word, condition) condition,
#include "abi/events.def"
#undef EVENT
	};
	return e->kind == EVENT_SWITCH || e->kind == EVENT_CONCRETE || (condition[e->kind] && e->kind != EVENT_CHECK);
}

uint32_t trace_check_kind(const struct trace *t, const struct trace_event *e)
{
	const struct trace_site *site = trace_site(t, e->site);
	if (e->kind == EVENT_CHECK && e->check_kind != CHECK_OF_SITE)
		return e->check_kind;
	return e->kind == EVENT_CHECK && site && site->kind != SITE_PLACE ? site->kind : CHECK_ACCESS;
}

uint64_t trace_value(const struct trace_event *e)
{
	return e->kind == EVENT_CHECK ? e->check.holds : e->kind == EVENT_WITHIN ? 1 : e->value;
}
