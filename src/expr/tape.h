// Evaluation. A tape holds the nodes that some expressions need, operands first, so
// that they can be evaluated under one assignment after another.
#ifndef VEER_EXPR_TAPE_H
#define VEER_EXPR_TAPE_H

#include "expr/expr.h"
#include "expr/postorder.h"

struct tape_step {
	struct trace_node node; // what eval_node reads: op, width, and the lowest bit of EXTRACT
	uint16_t width_a, width_b;
	uint32_t a, b, c; // steps of the operands; of INPUT: a is the variable
	uint32_t id;
};

// Read only, for those outside of tape.c.
struct tape {
	const struct expr_pool *pool;
	struct tape_step *steps;
	eval_value *values; // per step, after tape_run
	uint32_t n, max;
	uint32_t current;  // so many steps, at the beginning, have the values that follow from the assignment
	uint32_t *step_of; // per node of the pool: its step + 1; 0: not on the tape
	uint32_t n_step_of;
	uint32_t *vars; // variables on the tape, in the order in which they were met
	uint32_t *var_steps;
	uint32_t n_vars, max_vars;
	struct postorder walk;
	uint32_t *focus; // steps that depend on the variable of tape_focus
	uint32_t n_focus, max_focus;
	uint8_t *touched;
	uint32_t max_touched;
	struct tape_change *changes; // since tape_keep
	uint32_t n_changes, max_changes;
	uint64_t evaluated; // steps, by tape_change; what it only looks at counts a quarter
};

void tape_init(struct tape *t, const struct expr_pool *pool);
void tape_release(struct tape *t);
void tape_clear(struct tape *t); // ready for other expressions

// Takes away all steps from number `n` on, with which an expression began.
void tape_cut(struct tape *t, uint32_t n);

// Puts an expression on the tape and returns its step.
uint32_t tape_add(struct tape *t, uint32_t id);

// The assignment: `bytes` has a value for each variable of the pool; then single ones, of variables on
// the tape. tape_run evaluates everything under it, from the first step on whose value may be another one: queries of
// one path begin alike, and mostly are evaluated under the same bytes.
void tape_load(struct tape *t, const uint8_t *bytes);
void tape_set(struct tape *t, uint32_t var, uint8_t value);
bool tape_has(const struct tape *t, uint32_t var);
void tape_run(struct tape *t);

// After tape_run: chooses a variable of the tape; tape_try then evaluates only what depends on it.
// The values of all other steps stay.
void tape_focus(struct tape *t, uint32_t var);
void tape_try(struct tape *t, uint8_t value);

// After tape_run: sets variables of the tape and evaluates what that changes. tape_undo takes back all that was changed
// since tape_keep.
struct tape_change {
	uint32_t step;
	eval_value was;
};
void tape_keep(struct tape *t);
void tape_change(struct tape *t, const uint32_t *vars, const uint8_t *values, uint32_t n);
void tape_undo(struct tape *t);

// Single steps: sets the value of one, whatever it is made of; evaluates one from the values of its operands.
void tape_put(struct tape *t, uint32_t step, eval_value value);
void tape_evaluate(struct tape *t, uint32_t step);

// The value of an expression under an assignment. For a single value; makes a tape.
eval_value expr_eval(const struct expr_pool *p, uint32_t id, const uint8_t *bytes);

#endif
