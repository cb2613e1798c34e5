// A driver of a campaign: chooses what workers do next and what becomes of their results. The coordinator (campaign.c)
// calls it and does everything that drivers have in common: it starts and replaces workers, sends jobs, keeps the
// clock, batches writes to the store, ends a session. It does not know which driver it has.
//
// There are two: search (search_driver.h: `veer explore`) and amplification of recorded tests (amplify.h: `veer test`).
// A new one is a file that defines a `const struct driver`; whoever runs the campaign names it in campaign_setup.
//
// A session calls, in this order:
//
//	start, load, seed, then in a loop: poll, choose (fill, evicted) for each idle worker, take or lost for each
//	result, measure; then pending until the oracle has seen everything, end, is_complete, release
//
// Functions that return int return -1 with *err filled on failure. Optional ones may be NULL.
#ifndef VEER_EXPLORE_DRIVER_H
#define VEER_EXPLORE_DRIVER_H

#include "explore/campaign_internal.h"

struct driver {
	// Allocates c->inside->own. Nothing is loaded yet.
	void (*start)(struct campaign *c);
	void (*release)(struct campaign *c);
	// Loads what earlier sessions left. The tree and the coverage are loaded already.
	int (*load)(struct campaign *c, struct err *err);
	// Adds first inputs, inside a transaction. Optional.
	int (*seed)(struct campaign *c, struct err *err);

	// Before idle workers get jobs: looks for what came from outside. Optional.
	int (*poll)(struct campaign *c, struct err *err);
	// More may come from outside: the session does not end when no worker has a job. Optional: never.
	bool (*waits)(const struct campaign *c);
	// Fills in slot->item, slot->candidates and slot->first, which are empty, for an idle worker. Returns 1 when
	// there is something to do, 0 when there is nothing for this worker now.
	int (*choose)(struct campaign *c, struct worker_slot *slot, struct err *err);
	// Adds what only the driver knows to the job of slot->item, whose input is `stored`. Optional.
	int (*fill)(struct campaign *c, struct worker_slot *slot, const struct stored_input *stored, struct job *j,
	            struct err *err);
	// The store has evicted the input of the chosen item, so nothing was sent. The coordinator chooses again.
	int (*evicted)(struct campaign *c, struct worker_slot *slot, struct err *err);

	// The result of slot->item and slot->candidates.
	int (*take)(struct campaign *c, struct worker_slot *slot, struct result *r, struct err *err);
	// The worker died of slot->item. Its candidates are TREE_UNKNOWN already.
	void (*lost)(struct campaign *c, struct worker_slot *slot);
	// An input that an answer or a minimised finding of `from` led to is in the store; `run` would execute it.
	// `known`: it was there before.
	void (*add)(struct campaign *c, const struct work_item *from, const struct work_item *run, bool known);
	// The oracle saw a bug that is a finding already. Optional.
	int (*seen_again)(struct campaign *c, const struct work_item *item, uint64_t key, struct err *err);

	// Takes the next item that the driver has for the oracle, of the slot's own or (NULL) of no slot; false: there
	// is none. Items in c->inside->oracle are not its business. Optional.
	bool (*pending)(struct campaign *c, struct worker_slot *slot, struct work_item *ret);
	// Calls `add` for each of them, and they go on to wait. False: what an earlier session left is not loaded yet.
	// Optional: nothing of the driver's is lost when the session is killed.
	bool (*list_pending)(const struct campaign *c, void (*add)(void *opaque, const struct work_item *item),
	                     void *opaque);
	// The program that inputs of the snapshot are for; -1: none that can run. Optional: the first one.
	int64_t (*program_of)(const struct campaign *c, int64_t snapshot);

	// Fills in c->waiting and c->candidates. Called in every round.
	void (*measure)(struct campaign *c);
	// Fills in what is reported at the end. Optional.
	void (*end)(struct campaign *c);
	// Nothing was left out, as far as the driver knows. Optional: true.
	bool (*is_complete)(const struct campaign *c);
};

#endif
