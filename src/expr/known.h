// What is known on a path: every condition that held says that some expressions are
// constants there. Later conditions get simpler by it.
//
// Conditions are to be rewritten and learned in the order of the path. That a rewritten
// condition says the same as the original depends on the conditions learned before it;
// also on those that share no input with it any more. Who changes the input of some
// conditions only, and keeps them true, keeps all of them true: those that are left
// alone stay as they were, so what was learned from them still holds.
#ifndef VEER_EXPR_KNOWN_H
#define VEER_EXPR_KNOWN_H

#include "expr/expr.h"

struct known {
	struct expr_pool *pool;
	uint32_t *fact; // per node: the constant that it is; 0: not known
	uint32_t *made; // per node: what it was rewritten to
	uint32_t *when; // and at which version of the facts; 0: never
	uint32_t n;
	uint32_t version; // never used twice
	uint32_t *facts;  // nodes that have one, for known_clear
	uint32_t n_facts, max_facts;
	uint32_t *stack;
	uint32_t max_stack;
};

void known_init(struct known *k, struct expr_pool *pool);
void known_release(struct known *k);
void known_clear(struct known *k); // nothing is known; costs what was learned

// The expression, simplified, with what is known put in.
uint32_t known_rewrite(struct known *k, uint32_t id);

// From here on the condition, as known_rewrite returned it, holds.
void known_learn(struct known *k, uint32_t condition);

#endif
