// Learning which heuristics are good: what each led to, which of them together led to most and least, and new ones that
// are like the former and unlike the latter (SELECT, SWITCH and REFINE of the paper in docs/SEARCH.md).
#ifndef VEER_SEARCH_LEARN_H
#define VEER_SEARCH_LEARN_H

#include <stdbool.h>
#include <stdint.h>

#include "search/features.h"

enum { LEARN_ORPHAN = UINT32_MAX, LEARN_RANGE = 10, LEARN_TOP_MIN = 8 };

struct learned {
	double weights[FEATURES];
	uint32_t id, parent; // parent: id; LEARN_ORPHAN: none
	uint8_t *covered;    // what it led to, a bit each; NULL: not known yet
	bool dead;           // of no use any more
};

struct knowledge {
	struct learned *v;
	uint32_t n, max, next_id;
	uint32_t size; // bytes of `covered`
	uint64_t random;
};

void knowledge_release(struct knowledge *k);
double knowledge_uniform(struct knowledge *k);                               // in [0, 1)
double knowledge_normal(struct knowledge *k, double mean, double deviation); // cut off beyond LEARN_RANGE

// Adds what a heuristic covered; copies both.
uint32_t knowledge_add(struct knowledge *k, const double *weights, uint32_t parent, const uint8_t *covered);

uint32_t knowledge_reached(const struct knowledge *k); // how much all led to together

// The `n` that together covered most, or least: greedily, by 0.95 times what is new and 0.05 times all. Writes places
// in k->v and returns how many there are.
uint32_t knowledge_select(const struct knowledge *k, bool best, uint32_t n, uint32_t *ret);

// Is the weight the same in both, as far as one can tell?
bool knowledge_is_alike(const struct knowledge *k, unsigned weight, const uint32_t *best, uint32_t n_best,
                        const uint32_t *worst, uint32_t n_worst);

void knowledge_sample(struct knowledge *k, double *ret); // any

// Like `parent`, unlike `worst`.
void knowledge_offspring(struct knowledge *k, uint32_t parent, const uint32_t *best, uint32_t n_best,
                         const uint32_t *worst, uint32_t n_worst, double *ret);

// Those from `first` on are a new generation: parents whose offspring led to nothing that others did not know are left
// out from now on.
void knowledge_refine(struct knowledge *k, uint32_t first);

#endif
