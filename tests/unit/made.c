#include "made.h"

#include <string.h>

#include "test.h"

void made_init(struct made *m)
{
	const struct trace_sizes sizes = {.nodes = MADE_NODES, .events = MADE_EVENTS, .calls = 1, .text = MADE_TEXT};
	struct trace_header *header = test_alloc(sizeof *header);
	*m = (struct made){.size = trace_layout(sizes, 0, header)};
	m->header = test_alloc(m->size);
	memset(m->header, 0, m->size);
	*m->header = *header;
	m->header->state = TRACE_ENDED;
	m->header->nodes = m->header->calls = 1;
	m->header->text = 8; // no offset is 0
}

struct trace_node *made_nodes(struct made *m)
{
	return (struct trace_node *)((char *)m->header + m->header->nodes_at);
}

struct trace_event *made_events(struct made *m)
{
	return (struct trace_event *)((char *)m->header + m->header->events_at);
}

static uint32_t put(struct made *m, const void *data, size_t size)
{
	uint64_t offset = m->header->text;
	CHECK(offset + size + 8 <= m->header->text_max);
	if (size)
		memcpy((char *)m->header + m->header->text_at + offset, data, size);
	m->header->text += (size + 7) & ~(size_t)7;
	return (uint32_t)(offset / 8);
}

uint32_t made_node(struct made *m, unsigned op, unsigned width, uint32_t a, uint32_t b, uint32_t c)
{
	CHECK(m->header->nodes < m->header->nodes_max);
	made_nodes(m)[m->header->nodes] =
		(struct trace_node){.op = (uint8_t)op, .width = (uint16_t)width, .a = a, .b = b, .c = c};
	return m->header->nodes++;
}

uint32_t made_const(struct made *m, unsigned width, uint64_t value)
{
	return made_node(m, OP_CONST, width, 0, (uint32_t)value, (uint32_t)(value >> 32));
}

uint32_t made_input(struct made *m, struct input_source source, const void *bytes, uint32_t size)
{
	CHECK(m->header->inputs < TRACE_INPUTS);
	char *label = test_alloc(strlen(source.name) + INPUT_LABEL_MORE);
	input_label(source, label, strlen(source.name) + INPUT_LABEL_MORE);
	m->header->input[m->header->inputs] =
		(struct trace_input){.label = put(m, label, strlen(label) + 1),
	                             .name = *source.name ? put(m, source.name, strlen(source.name) + 1) : 0,
	                             .ordinal = source.ordinal,
	                             .type = source.type,
	                             .size = size,
	                             .data = put(m, bytes, size)};
	return m->header->inputs++;
}

uint32_t made_byte(struct made *m, uint32_t input, uint32_t offset)
{
	return made_node(m, OP_INPUT, 8, input, offset, 0);
}

uint32_t made_table(struct made *m, const uint8_t *bytes, const uint32_t *labels, uint32_t size)
{
	const struct trace_table head = {.size = size, .labelled = labels != NULL};
	uint32_t at = put(m, &head, sizeof head);
	put(m, bytes, size);
	if (labels)
		put(m, labels, 4 * (size_t)size);
	return at;
}

uint32_t made_switch(struct made *m, const struct trace_case *cases, uint32_t n)
{
	struct trace_site site = {.line = 1, .extra = put(m, cases, n * sizeof *cases), .extra_size = n};
	return put(m, &site, sizeof site);
}

uint32_t made_site(struct made *m, const char *file, const char *function, uint32_t line, uint32_t kind)
{
	struct trace_site site = {.kind = kind,
	                          .line = line,
	                          .column = 1,
	                          .file = put(m, file, strlen(file) + 1),
	                          .function = put(m, function, strlen(function) + 1)};
	return put(m, &site, sizeof site);
}

uint32_t made_object(struct made *m, const struct trace_object *o)
{
	return put(m, o, sizeof *o);
}

uint32_t made_event(struct made *m, unsigned kind, uint32_t label, uint64_t value)
{
	CHECK(m->header->events < m->header->events_max);
	struct trace_event *e = &made_events(m)[m->header->events];
	*e = (struct trace_event){.kind = (uint16_t)kind, .label = label, .value = value};
	if (kind == EVENT_CHECK) {
		e->value = 0;
		e->check.holds = (uint32_t)value;
	}
	return m->header->events++;
}

static uint32_t table_of(struct made *m, const struct expr_table *t)
{
	uint32_t *labels = t->exprs ? test_alloc(4 * (size_t)t->size + 1) : NULL;
	for (uint32_t i = 0; labels && i < t->size; i++)
		labels[i] = t->exprs[i] ? m->labels[t->exprs[i]] : 0;
	return made_table(m, t->bytes, labels, t->size);
}

static uint32_t copy_node(struct made *m, uint32_t id)
{
	const struct expr_pool *p = m->pool;
	const struct expr_node *n = &p->nodes[id];
	unsigned operands = op_operands(n->op);
	switch (n->op) {
	case OP_CONST: return made_const(m, n->width, (uint64_t)expr_value(p, id));
	case OP_INPUT: return made_byte(m, n->a, n->b);
	case OP_LOOKUP: return made_node(m, OP_LOOKUP, n->width, m->labels[n->a], table_of(m, &p->tables[n->b]), 0);
	default:
		return made_node(m, n->op, n->width, m->labels[n->a], operands > 1 ? m->labels[n->b] : n->b,
		                 operands > 2 ? m->labels[n->c] : n->c);
	}
}

// Operands first; expressions of tests are not deep.
uint32_t made_expr(struct made *m, const struct expr_pool *p, uint32_t id)
{
	m->pool = p;
	if (m->n_labels < p->max) {
		uint32_t *labels = test_alloc(p->max * sizeof *labels);
		memset(labels, 0, p->max * sizeof *labels);
		if (m->n_labels)
			memcpy(labels, m->labels, m->n_labels * sizeof *labels);
		m->labels = labels;
		m->n_labels = p->max;
	}
	if (m->labels[id])
		return m->labels[id];
	const struct expr_node *n = &p->nodes[id];
	const uint32_t operands[] = {n->a, n->b, n->c};
	for (unsigned i = 0; i < op_operands(n->op); i++)
		made_expr(m, p, operands[i]);
	const struct expr_table *t = n->op == OP_LOOKUP ? &p->tables[n->b] : NULL;
	for (uint32_t i = 0; t && t->exprs && i < t->size; i++)
		if (t->exprs[i])
			made_expr(m, p, t->exprs[i]);
	return m->labels[id] = copy_node(m, id);
}

struct trace made_trace(const struct made *m)
{
	struct trace t;
	struct err err;
	CHECK_INT(0, trace_read(m->header, m->size, &t, &err));
	CHECK(!t.damaged);
	return t;
}
