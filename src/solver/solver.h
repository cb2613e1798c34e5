// The chain of solvers: stages with one interface, each wraps the next and asks it what
// it cannot answer itself.
//
//   rewrite -> near -> slice -> local -> cache -> renamed -> quick -> lazy -> sat (AIG, CaDiCaL)
//   -> search -> fixed -> exact -> floats -> z3
//
// A query is a set of conditions on input bytes, all of which are to hold. The answer
// is sat, with a model; unsat; or unknown, with a reason.
//
//	struct solver_env env = {.pool = &pool, .nanoseconds = 1000000000};
//	struct solver *chain = chain_new(&env, "chain");
//	const struct query q = {.conditions = conditions, .n = n, .seed = seed};
//	struct model m = {0};
//	if (solver_solve(chain, &q, &m) == ANSWER_SAT)
//		for (uint32_t i = 0; i < m.n; i++)
//			bytes[m.vars[i]] = m.values[i];   // all other bytes: the seed's
//	else
//		say(solver_reason_words(env.reason));     // of unknown
//	model_release(&m);
//	solver_free(chain);                               // before the pool
//
// Requires: conditions of env.pool, one bit wide; a byte of the seed for each variable of the pool, those that
// conditions do not depend on included. Ensures: sat, and every condition holds under *ret on top of the seed, which
// `rewrite` has evaluated; or unsat; or unknown, and env.reason is not SOLVER_NONE. A model is filled in for sat only.
// One query at a time; a signal handler or thread may set env.interrupted. Between queries the pool may grow.
#ifndef VEER_SOLVER_SOLVER_H
#define VEER_SOLVER_SOLVER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "expr/expr.h"

enum answer { ANSWER_UNSAT, ANSWER_SAT, ANSWER_UNKNOWN };

enum solver_reason {
#define UNKNOWN(NAME, words) SOLVER_##NAME,
#include "solver/unknown.def"
#undef UNKNOWN
	SOLVER_REASONS
};
const char *solver_reason_words(enum solver_reason reason);

// How: solver/floats.def.
enum solver_floats {
#define FLOATS(NAME, word, help) SOLVER_FLOATS_##NAME,
#include "solver/floats.def"
#undef FLOATS
	SOLVER_FLOATS_COUNT
};
const char *solver_floats_word(unsigned how); // NULL behind the last one

// Of solver_env.effort.
enum { EFFORT_LEAST = -6, EFFORT_MOST = 3 };

struct query {
	const uint32_t *conditions; // of the pool, one bit wide
	uint32_t n;
	const uint8_t *seed; // per variable of the pool: the value that it should keep if it can
	// What models are checked against before they are handed out: the conditions as they were before
	// anybody simplified them. NULL: those above.
	const uint32_t *originals;
	uint32_t n_originals;
};

// Values of variables. Those that are not in it may have any value; a reader takes the seed's.
// Reusable: a stage that answers sat clears it first.
struct model {
	uint32_t *vars;
	uint8_t *values;
	uint32_t n, max;
};

void model_clear(struct model *m);
void model_add(struct model *m, uint32_t var, uint8_t value);
void model_copy(struct model *to, const struct model *from);
void model_release(struct model *m);

// What all stages of a chain share.
struct solver_env {
	struct expr_pool *pool;
	enum solver_floats floats; // how conditions on floats are solved
	// Limits of a query; 0: none.
	uint64_t nanoseconds, conflicts;
	size_t bytes;                      // memory of a stage: of what it keeps and of what one query needs
	volatile sig_atomic_t interrupted; // set it at any time: the query ends with SOLVER_INTERRUPTED; stays set
	bool strict;                       // a wrong model aborts (tests)
	int effort;                        // for floats: doubled so often, or halved
	bool sparing;                      // who asks may ask again with more effort: SOLVER_HASTE
	bool far;                          // models need not be near the seed (to measure what that is good for)
	// Of the current query.
	uint64_t deadline;         // by clock_nanoseconds; 0: none
	enum solver_reason reason; // why the last answer was unknown
};

struct solver;

struct solver_type {
	const char *name;
	enum answer (*solve)(struct solver *s, const struct query *q, struct model *ret);
	void (*release)(struct solver *s); // its own things; not the next one
};

// Every stage begins with this.
struct solver {
	const struct solver_type *type;
	struct solver_env *env;
	struct solver *next;  // NULL: none
	uint64_t answers[3];  // by enum answer
	uint64_t own[3];      // of them, without asking the next stage
	uint64_t nanoseconds; // in it and below
	bool passed;          // the current query went on to the next stage
};

// A limit of a method for floats, with the effort.
uint64_t solver_effort(const struct solver_env *env, uint64_t limit);

bool solver_out_of_time(struct solver_env *env); // or interrupted; sets the reason

// Asks a stage. *ret is filled in when the answer is sat.
enum answer solver_ask(struct solver *s, const struct query *q, struct model *ret);
// For stages: asks the next one.
enum answer solver_pass(struct solver *s, const struct query *q, struct model *ret);
// For stages: unknown, and why.
enum answer solver_unknown(struct solver *s, enum solver_reason reason);
// Starts the clock of the query and asks; what a user of a chain calls.
enum answer solver_solve(struct solver *s, const struct query *q, struct model *ret);
// Frees the stage and all behind it.
void solver_free(struct solver *s);
// For constructors: `size` bytes, zeroed, with the first part filled in.
void *solver_new(const struct solver_type *type, size_t size, struct solver_env *env, struct solver *next);

// Stages. Each takes over `next`, and answers through it what it does not answer itself.
struct solver *rewrite_new(struct solver_env *env, struct solver *next); // simplifies; checks models
struct solver *near_new(struct solver_env *env, struct solver *next);    // takes back changed bytes
struct solver *slice_new(struct solver_env *env, struct solver *next);   // independent parts
struct solver *local_new(struct solver_env *env, struct solver *next);   // conditions near the branch first
struct solver *cache_new(struct solver_env *env, struct solver *next);   // earlier answers
struct solver *renamed_new(struct solver_env *env, struct solver *next); // answers about other bytes
struct solver *quick_new(struct solver_env *env, struct solver *next);   // small domains, inversion
struct solver *lazy_new(struct solver_env *env, struct solver *next);    // large conditions last
struct solver *sat_new(struct solver_env *env, struct solver *next);     // AIG, CaDiCaL
struct solver *search_new(struct solver_env *env, struct solver *next);  // floats: by trying
struct solver *exact_new(struct solver_env *env, struct solver *next);   // floats: circuits
struct solver *fixed_new(struct solver_env *env, struct solver *next);   // floats: as fixed-point numbers
struct solver *floats_new(struct solver_env *env, struct solver *next);  // floats: what the mode forbids
struct solver *z3_new(struct solver_env *env);                           // everything, in a child process
struct solver *z3_here_new(struct solver_env *env); // in this process: limits are Z3's own business

#endif
