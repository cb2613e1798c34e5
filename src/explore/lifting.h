// Possible findings of a campaign on fragments: a worker finds out what of the made-up state each needs, then tries
// whole runs, one after the other, that may lead there (worker/worker_lift.c). What the solver makes of them are inputs
// like any: when the oracle sees the error in a whole run, it is a finding of its own, and the possible one is
// promoted.
#ifndef VEER_EXPLORE_LIFTING_H
#define VEER_EXPLORE_LIFTING_H

#include "explore/campaign_internal.h"
#include "possible/possible.h"
#include "possible/precondition.h"

struct lifted;

struct lifting_setup {
	// Fills in what a possible finding needs and who calls the function. -1 with *err filled: the program does not
	// have what the input enters.
	int (*assess)(void *opaque, const struct possible_evidence *e, struct possible *p, struct err *err);
	// The fragment that is named so (fragment_name), 0 for whole runs; UINT32_MAX: none in this session.
	uint32_t (*fragment)(void *opaque, uint64_t name);
	void *assess_opaque, *opaque;
};

struct lifting {
	struct lifting_setup setup;
	struct lifted *v; // possible findings
	size_t n, cap;
	struct possible_errors *errors; // findings of whole runs
	int64_t *whole;                 // inputs of whole runs that are in the corpus, or seeds
	size_t n_whole, whole_max;
	uint64_t us; // that workers have spent
};

void lifting_init(struct lifting *l, const struct lifting_setup *setup);
void lifting_release(struct lifting *l);

// An input of whole runs. They are tried in the order in which they come.
void lifting_add_input(struct lifting *l, int64_t input);
// The store has new findings.
int lifting_update(struct lifting *l, struct campaign *c, struct err *err);

// The next job: what a finding needs, `lifts`: or a whole run that may lead there. False: there is none.
bool lifting_choose(struct lifting *l, bool lifts, struct work_item *ret);
// For jobs with these flags:
enum { LIFTING_FLAGS = JOB_PRECONDITION | JOB_LIFT };
int lifting_fill(struct lifting *l, struct campaign *c, const struct work_item *item, struct job *j, struct err *err);
int lifting_take(struct lifting *l, struct campaign *c, const struct work_item *item, const struct result *r,
                 struct err *err);
void lifting_lost(struct lifting *l, const struct work_item *item);

#endif
