// The run of a finding and that of its test, seen together: their expressions in one pool, and words for them.
#ifndef VEER_EXPLAIN_TRACE_PAIR_H
#define VEER_EXPLAIN_TRACE_PAIR_H

#include "explain/explain.h"
#include "explain/phrase.h"
#include "expr/import.h"
#include "expr/known.h"
#include "path/blame.h"

struct trace_pair {
	struct expr_pool pool;
	struct import now, was;
	bool has_was;
	struct phrasing words; // of the finding's run
	// What its path says, once steps_take has gone along it: facts, and the values that each variable can have.
	struct known known;
	struct byteset *possible;
	struct strv files; // sources that the run came by
};

// `was`: NULL when the test could not be run. The traces must outlive it.
void trace_pair_init(struct trace_pair *s, const struct trace *now, const struct trace *was, const char *stack);
void trace_pair_release(struct trace_pair *s);

// The shortest name of a source file that is no other's.
const char *trace_pair_file(const struct trace_pair *s, const char *path);

// The expression by what the path says; if that leaves only a number, without it.
uint32_t trace_pair_simple(struct trace_pair *s, uint32_t written);

// The expression with the constants in it added up: addresses cancel each other out.
uint32_t trace_pair_relative(struct trace_pair *s, uint32_t id);

// Of two ways to write a condition, or a value: the one that was written in the program unless that is long. *chosen:
// which it was.
char *trace_pair_condition(const struct trace_pair *s, uint32_t written, uint32_t simple,
                           const struct byteset *possible, size_t limit, uint32_t *chosen);
char *trace_pair_value(struct trace_pair *s, uint32_t written, size_t limit);

// A value that the run went on with as it was: "stdin[3] decides the size of a copy".
char *trace_pair_decides(struct trace_pair *s, const struct trace_event *e);

// --- what is made of it ---------------------------------------------------------------------------

// The path from `from` on, up to the failure; `failing`: the check, n_events when there is none in that run.
void steps_take(struct explanation *x, struct trace_pair *s, struct blame blame, uint32_t from);
// A check that does not hold, as the last step.
void steps_add_failure(struct explanation *x, const struct trace_pair *s, const struct import *of, uint32_t event);

// What the check is about, with the values that it had: the verdict, operands, object, condition, values.
void failure_take(struct explanation *x, struct trace_pair *s, struct import *of, uint32_t event);

#endif
