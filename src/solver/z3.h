// Expressions as terms of Z3, for its stages (solver.h) and for tests that need Z3 itself.
#ifndef VEER_SOLVER_Z3_H
#define VEER_SOLVER_Z3_H

#include <z3.h>

#include "expr/tape.h"
#include "solver/solver.h"

// What is translated already, in one context. The context belongs to the caller and must outlive it.
struct z3_terms {
	Z3_context context;
	struct tape tape; // the nodes in an order in which operands come first
	Z3_ast *bits;     // per step: a bit vector of the node's width
	Z3_ast *floats;   // per step: the same as a number, when a float operation made it; else NULL
	uint32_t n, max;
};

void z3_terms_init(struct z3_terms *t, const struct expr_pool *pool);
void z3_terms_release(struct z3_terms *t);
void z3_terms_clear(struct z3_terms *t); // ready for other expressions, or for another context

// Gets everything ready for an expression for which memory of ours is needed; z3_translate then needs
// none.
void z3_terms_reserve(struct z3_terms *t, uint32_t expr);

// The expression as a bit vector. Variable i of the pool is the constant named by the integer i. When Z3
// fails (memory), the context has an error code and the result may be NULL.
Z3_ast z3_translate(struct z3_terms *t, uint32_t expr);
Z3_ast z3_variable(struct z3_terms *t, uint32_t var);

// A context whose errors neither print nor exit; NULL without memory.
Z3_context z3_context(void);

// Whether the condition holds under every assignment; `s` is what z3_here_new made.
bool z3_proves(struct solver *s, uint32_t condition);

// The query as SMT-LIB.
char *z3_text(struct expr_pool *p, const struct query *q);

#endif
