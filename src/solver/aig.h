// And-inverter graphs: functions of input bits, built of ANDs of two and negation,
// with structural hashing.
//
// A literal is 2 * node + sign; the nodes that a node refers to are older than it.
#ifndef VEER_SOLVER_AIG_H
#define VEER_SOLVER_AIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t aig_lit;

enum { AIG_FALSE = 0, AIG_TRUE = 1 };

struct aig_node {
	aig_lit a, b; // a >= b; of an input: a is AIG_INPUT and b its number
};

#define AIG_INPUT 0xffffffffu

struct aig {
	struct aig_node *nodes;
	uint32_t n, max; // n counts node 0, which is false
	uint32_t *index;
	uint32_t index_size;
	uint32_t limit; // nodes
	bool full;      // the limit was reached: from then on results mean nothing
};

void aig_init(struct aig *g, size_t bytes); // uses that much memory at most; 0: no limit
void aig_release(struct aig *g);
void aig_clear(struct aig *g);

aig_lit aig_input(struct aig *g, uint32_t number); // the same for the same number
aig_lit aig_and(struct aig *g, aig_lit a, aig_lit b);
aig_lit aig_or(struct aig *g, aig_lit a, aig_lit b);
aig_lit aig_xor(struct aig *g, aig_lit a, aig_lit b);
aig_lit aig_mux(struct aig *g, aig_lit c, aig_lit t, aig_lit e); // c ? t : e

// Whether a node is (s ? t : e); an XOR is one, with t == !e. For any array of nodes.
bool aig_find_mux(const struct aig_node *nodes, uint32_t node, aig_lit *s, aig_lit *t, aig_lit *e);

static inline bool aig_is_input(const struct aig *g, uint32_t node)
{
	return g->nodes[node].a == AIG_INPUT;
}

#endif
