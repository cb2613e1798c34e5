// Traces made by hand, as a program would leave them: events on nodes that a test
// chooses, or on expressions of a pool. Memory is the test's.
#ifndef VEER_TESTS_UNIT_MADE_H
#define VEER_TESTS_UNIT_MADE_H

#include "expr/expr.h"
#include "expr/trace.h"

enum { MADE_NODES = 1 << 14, MADE_EVENTS = 1 << 8, MADE_TEXT = 1 << 17 };

struct made {
	struct trace_header *header;
	size_t size;
	const struct expr_pool *pool; // of made_expr
	uint32_t *labels;             // per expression of the pool; 0: none yet
	uint32_t n_labels;
};

void made_init(struct made *m);

struct trace_node *made_nodes(struct made *m);
struct trace_event *made_events(struct made *m);

uint32_t made_node(struct made *m, unsigned op, unsigned width, uint32_t a, uint32_t b, uint32_t c); // its label
uint32_t made_const(struct made *m, unsigned width, uint64_t value);
uint32_t made_input(struct made *m, struct input_source source, const void *bytes, uint32_t size); // its number
uint32_t made_byte(struct made *m, uint32_t input, uint32_t offset);
uint32_t made_table(struct made *m, const uint8_t *bytes, const uint32_t *labels, uint32_t size);
uint32_t made_switch(struct made *m, const struct trace_case *cases, uint32_t n); // a site with these cases
// A place of its own: kind as in struct site.
uint32_t made_site(struct made *m, const char *file, const char *function, uint32_t line, uint32_t kind);
uint32_t made_object(struct made *m, const struct trace_object *o);
// Value: which way it went, of a check: whether it held. Returns the event's number.
uint32_t made_event(struct made *m, unsigned kind, uint32_t label, uint64_t value);

// The label of an expression. The pool's first source is the trace's first input, and so on.
uint32_t made_expr(struct made *m, const struct expr_pool *p, uint32_t id);

struct trace made_trace(const struct made *m); // read and good (checked)

#endif
