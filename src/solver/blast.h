// Bit-blasting: expressions as literals of an AIG, lowest bit first. What was made
// once is kept, until the graph gets too large.
#ifndef VEER_SOLVER_BLAST_H
#define VEER_SOLVER_BLAST_H

#include "expr/expr.h"
#include "expr/postorder.h"
#include "expr/tape.h"
#include "solver/aig.h"

struct blaster {
	const struct expr_pool *pool;
	struct aig aig; // input numbers are 8 * variable + bit
	uint32_t *at;   // per node of the pool: where its literals are in `bits`; 0: nowhere yet
	uint32_t n_at;
	aig_lit *bits;
	uint32_t n_bits, max_bits;
	struct postorder walk;
	struct tape tape; // of expressions of a single byte
	size_t bytes;
	bool (*stop)(void *opaque); // NULL: nobody; asked now and then whether to go on
	void *opaque;
	bool stopped;
};

void blaster_init(struct blaster *b, const struct expr_pool *pool, size_t bytes); // limit of memory; 0: none
void blaster_release(struct blaster *b);

// To be called before a query: forgets everything when more than half of the memory is used.
void blaster_tidy(struct blaster *b);

// The literal of a condition. After it, aig.full says whether memory ran out: the literal is then
// meaningless, and blaster_clear makes room. `stopped` says that stop() ended it: then the literal is meaningless, and
// what was made stays.
aig_lit blast_condition(struct blaster *b, uint32_t id);
void blaster_clear(struct blaster *b);

// Whether an operator can be bit-blasted: all but floats.
bool blast_can(const struct expr_pool *p, uint32_t id);

#endif
