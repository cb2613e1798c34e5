// What sets.c and sets_search.c share.
#ifndef VEER_SOLVER_SETS_INTERNAL_H
#define VEER_SOLVER_SETS_INTERNAL_H

#include "solver/sets.h"

enum {
	FEW = 3,              // variables of a constraint, besides the one that it defines
	VALUES_MAX = 256,     // of a variable
	SLOTS = 1024,         // of the hash table that collects them
	COMBINATIONS = 16384, // of values, tried for a constraint at most
	CONE_MAX = 128,       // steps of a constraint, at most
	OPERANDS_MAX = 64,    // of a step: entries of a table that are input
	STEPS_MAX = 16000000, // evaluated for the sets of a query, at most,
	SEARCH_MAX = 4000000, // and in its search
	DEPTH_MAX = 200,      // decisions of a search, one below the other
	TAPE_MAX = 60000,     // steps of a query that is worth it
	LOOKUPS_MIN = 4,      // of them are look-ups, or the like
	TOO_MANY = FEW + 1,   // support.n: no set is known
	NONE = 0xffffffff,
	NEVER = 0xfffffffe, // no variable, and it was tried
};

// Variables that a step is a function of, ascending.
struct support {
	uint32_t n;
	uint32_t vars[FEW];
};

struct variable {
	uint32_t step;
	uint32_t first, n;    // its values in sets.values, ascending
	struct byteset alive; // indices of those that are left
	uint32_t n_alive;
	uint64_t changed; // when a value was removed last
	uint32_t weight;  // how often a constraint on it could not be met
};

struct constraint {
	uint32_t step;     // this is true
	uint32_t variable; // or, unless NONE, one of the values of this variable
	struct support of;
	uint64_t revised; // when it was enforced last
};

// Steps between the variables of a constraint and its own, operands first: those that depend on no
// variable behind number k of the support are level k, and evaluated anew when number k changes.
struct cone {
	uint32_t steps[FEW][CONE_MAX];
	uint32_t n[FEW];
};

// What is known when all conditions of a query but the last are enforced: the next query of the path begins with them,
// mostly.
struct sets_kept {
	uint32_t *roots, *ids; // those conditions: steps, expressions
	uint32_t n_roots, max_roots;
	uint32_t visited, inputs; // steps of the tape, and inputs among them
	struct byteset *domains;  // of these inputs
	uint32_t max_domains;
	struct support *supports;
	uint32_t *variable_of;
	bool *reads;
	uint32_t max_steps;
	struct variable *variables;
	uint32_t n_variables, max_variables;
	struct constraint *constraints;
	uint32_t n_constraints, max_constraints;
	eval_value *values;
	uint32_t n_values, max_values;
	uint64_t clock;
};

struct sets {
	struct tape *tape;
	struct solver_env *env;
	struct sets_kept kept;
	uint32_t visited, inputs; // steps of the tape that are known, and inputs among them
	struct support *supports; // per step
	uint32_t *variable_of;    // per step: its variable; NONE, NEVER; of steps that have been visited
	uint64_t *seen;           // per step: the last cone that it is in
	uint8_t *level;           // per step of the cone
	uint8_t *uses;            // per step: steps that it is an operand of; 2: or more
	bool *reads;              // per step: sets_narrows, or a part or extension of such a step
	uint64_t now_seen;
	uint32_t max_steps;
	struct variable *variables;
	uint32_t n_variables, max_variables;
	struct constraint *constraints;
	uint32_t n_constraints, max_constraints;
	eval_value *values;
	uint32_t n_values, max_values;
	uint64_t clock;
	int64_t left; // steps
	struct cone cone;
	// The constraint that is enumerated.
	const struct constraint *current;
	uint32_t at[FEW];                     // indices of the values
	struct byteset supported[FEW + 1];    // the last one: of current->variable
	uint32_t missing;                     // values that are not yet supported
	bool collecting;                      // the values of current->step
	eval_value slots[SLOTS];              // a hash table of them
	uint64_t used[SLOTS], now_used;       // per slot: the collection that it is of
	eval_value collected[VALUES_MAX + 1]; // one more when there are too many
	uint32_t n_collected, most;
	eval_value *seed; // per step: its value when the query came
};

// The first of the values that are left, of which there is one; where a value of the variable is, NONE if it has it
// not.
uint32_t sets_first(const struct byteset *alive);
uint32_t sets_index(const struct sets *s, const struct variable *v, eval_value value);

// Is it a look-up, or a remainder by a small constant, as in hashes: something with few values, whatever it is made of?
bool sets_narrows(const struct tape *t, uint32_t step);

// Forgets everything, for the expressions that are on the tape now.
void sets_reset(struct sets *s);
// Makes variables of the steps up to this condition, and enforces it. False: a variable has no value left.
bool sets_enforce(struct sets *s, uint32_t root, const struct byteset *domains);
// Enforces all constraints until nothing changes, or no steps are left. False: a variable has no value left.
bool sets_propagate(struct sets *s);

#endif
