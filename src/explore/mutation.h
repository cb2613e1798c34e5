// Search by mutation: what workers do when the symbolic search has nothing left, or cannot go on by itself. Inputs of
// the corpus, and those with branch edges that the solver left open, are mutated in turn (worker_mutate); what covers
// something new, or crashes, goes back to the symbolic search.
#ifndef VEER_EXPLORE_MUTATION_H
#define VEER_EXPLORE_MUTATION_H

#include "base/vec.h"
#include "explore/campaign_internal.h"

struct mutation_entry {
	struct work_item item;
	struct candidate open; // input 0: all of the item's input may change
	uint64_t round;        // mutations so far
};

struct mutation {
	VEC(struct mutation_entry) entries;
	size_t next;        // entry
	uint64_t us;        // what its jobs took
	double news;        // when a run covered something new last
	uint32_t n_open;    // entries with a branch edge
	struct tree inputs; // that are entries without one
	struct tree edges;  // that are open
};

void mutation_init(struct mutation *m);
void mutation_release(struct mutation *m);

// An input that covers something, or whose path does not say all that its run did.
void mutation_add(struct mutation *m, const struct work_item *t);
// Something was covered at that time.
void mutation_note(struct mutation *m, double elapsed);
// The solver did not decide this alternative of the item's input.
void mutation_open(struct mutation *m, const struct work_item *t, const struct candidate *f);

// Whether it is its turn although there are candidates: what the solver left open gets a share of the time, and all
// inputs get a larger one while nothing new is covered.
bool mutation_is_due(const struct mutation *m, const struct campaign *c);
// False: there is nothing to mutate.
bool mutation_choose(struct mutation *m, struct campaign *c, struct worker_slot *slot);
// How many runs its job may make.
uint32_t mutation_runs(const struct campaign *c);
// Of an item with JOB_MUTATE.
int mutation_take(struct mutation *m, struct campaign *c, struct worker_slot *slot, const struct result *r,
                  struct err *err);

#endif
