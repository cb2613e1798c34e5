// The expressions and conditions of a trace, in a pool. Many traces can go into one
// pool: inputs of the same name are the same variables.
#ifndef VEER_EXPR_IMPORT_H
#define VEER_EXPR_IMPORT_H

#include "expr/expr.h"
#include "expr/trace.h"

struct import {
	struct expr_pool *pool;
	const struct trace *trace;
	uint32_t *exprs;   // per label; 0: not needed by any event
	uint32_t *sources; // per input of the trace: the pool's source
	uint8_t *seed;     // per variable of the pool: the value it had in the run; 0 for those that are not
	                   // of this run
	uint32_t n_seed;
	// What always holds of the inputs of this run, whatever the path: that lengths are possible ones.
	uint32_t *always;
	uint32_t n_always;
};

// The trace must outlive the import.
void import_init(struct import *im, struct expr_pool *pool, const struct trace *t);
void import_release(struct import *im);

// Makes `seed` cover variables that were added to the pool since.
void import_cover(struct import *im);

// The condition of an event as it held in the run, one bit wide; 0 when it has none (see trace_is_condition;
// checks count here, too). Nothing is simplified.
uint32_t import_condition(struct import *im, uint32_t event);

// The condition that the switch of an event goes to a place: see struct trace_case.
uint32_t import_goes_to(struct import *im, const struct trace_event *e, uint64_t target);

// The value of an input that is a length or a count, 32 bits wide; 0 when it is none.
uint32_t import_number(struct import *im, uint32_t input);

#endif
