// A search with a strategy (strategy.h), over the inputs of one program: chooses candidates for workers, and enters
// what their runs and solutions show. The search driver has one such search, the search from recorded tests one per
// program.
#ifndef VEER_EXPLORE_SEARCHER_H
#define VEER_EXPLORE_SEARCHER_H

#include "explore/campaign_internal.h"

struct searcher {
	enum strategy_kind kind;
	struct strategy_setup setup;
	struct strategy *strategy;
	struct work_queue *oracle; // where inputs for the oracle go; not owned
	bool wants_care;           // relevant bytes of corpus inputs are computed
	bool shares_tree; // others solve queries, too: their solutions are to be run when the search meets them
};

// Keeps pointers into *s, which must not move.
void searcher_init(struct searcher *s, struct campaign *c, const struct strategy_options *o);
void searcher_release(struct searcher *s);

// Chooses candidates off one run, as slot->item with slot->candidates. `alone`: nothing is under way that could lead
// to more. False: the strategy has none for this worker now.
bool searcher_choose(struct searcher *s, struct campaign *c, struct worker_slot *slot, bool alone);
// What every job of a search asks for besides its item.
void searcher_fill(const struct searcher *s, const struct work_item *item, struct job *j);
int searcher_take(struct searcher *s, struct campaign *c, struct worker_slot *slot, struct result *r, struct err *err);
// The store has evicted the item's input; the worker died of the item.
void searcher_evicted(struct searcher *s, struct campaign *c, struct worker_slot *slot);
void searcher_lost(struct searcher *s, struct campaign *c, struct worker_slot *slot);

#endif
