// What the files of the driver of fragments share.
#ifndef VEER_EXPLORE_FRAGMENT_INTERNAL_H
#define VEER_EXPLORE_FRAGMENT_INTERNAL_H

#include <assert.h>

#include "explore/driver.h"
#include "explore/fragment_driver.h"
#include "explore/lifting.h"
#include "explore/remaining.h"
#include "explore/searcher.h"
#include "explore/selection.h"

// What the driver has of a fragment; the plan has the rest, under the same number.
struct explored {
	uint64_t name;             // of its FRAGMENT part; 0: whole runs
	struct searcher *searcher; // NULL: it was not explored yet, or is exhausted
	struct work_queue runs;    // inputs that have not run, or are of earlier sessions
	bool seeded;               // its first input is in the store
	struct fragment_outcome outcome;
	const struct driver_state *state;
};

struct assignment {                     // of a slot
	struct plan_fragment *fragment; // NULL: none
	double used;                    // seconds of its slice
	uint32_t had;                   // segments that the fragment had covered before
	uint32_t changes;               // of what remains, when it was last asked whether it can cover something
};

struct fragment_number {
	uint64_t name;
	uint32_t number; // of the fragment
};

struct driver_state {
	const struct fragment_driver_setup *setup;
	struct progressive plan;
	struct explored *explored;      // as many as the plan has fragments
	struct fragment_number *names;  // likewise, in order
	struct assignment *assignments; // as many as there are slots
	struct remaining remaining;
	struct selection selection; // of inputs that enter fragments
	struct lifting lifting;     // of possible findings
	bool ended;                 // the plan has nothing left
};

static inline struct driver_state *fragments_of(const struct campaign *c)
{
	return c->inside->own;
}

static inline uint32_t fragments_number(const struct driver_state *s, const struct plan_fragment *f)
{
	assert(f >= s->plan.fragments && f < s->plan.fragments + s->plan.n_fragments);
	return (uint32_t)(f - s->plan.fragments);
}

static inline struct explored *fragments_explored(const struct driver_state *s, const struct plan_fragment *f)
{
	return &s->explored[fragments_number(s, f)];
}

static inline struct assignment *fragments_assignment(struct campaign *c, const struct worker_slot *slot)
{
	return &fragments_of(c)->assignments[campaign_slot_number(c, slot)];
}

// --- fragment_slice.c: which fragment a worker explores, and its search ---------------------------

// Made when it is needed first. An exhausted fragment needs one again when the oracle sees one of its inputs late.
struct searcher *fragments_search(struct campaign *c, struct explored *e);
void fragments_forget_search(struct explored *e);
// The number that the store has of a fragment once it is exhausted; to be freed by the caller.
char *fragments_exhausted_key(uint64_t name);
// Returns 1 when the slot has something to do, 0 when the plan has nothing for it now.
int fragments_choose(struct campaign *c, struct worker_slot *slot, struct err *err);
// Slices are spent by the clock, or, where no clock may decide, by jobs.
void fragments_spend(struct campaign *c, struct worker_slot *slot);

// --- fragment_take.c: results --------------------------------------------------------------------

int fragments_take(struct campaign *c, struct worker_slot *slot, struct result *r, struct err *err);

#endif
