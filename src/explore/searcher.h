// A search with a strategy (strategy.h), over the inputs of one program: chooses candidates for workers, and enters
// what their runs and solutions show. The search driver has one such search, the search from recorded tests one per
// program.
#ifndef VEER_EXPLORE_SEARCHER_H
#define VEER_EXPLORE_SEARCHER_H

#include "explore/campaign_internal.h"
#include "explore/crowd.h"
#include "explore/efforts.h"

struct searcher {
	enum strategy_kind kind;
	struct strategy_setup setup;
	struct strategy *strategy;
	struct work_queue *oracle; // where inputs for the oracle go; not owned
	bool wants_care;           // relevant bytes of corpus inputs are computed
	bool by_segment;           // of a fragment: what is past the first segment waits until nothing else does
	bool segment_ended;        // nothing else does
	// Whether a candidate in the first segment can lead to one that is left; others wait, too.
	bool (*leads)(void *opaque, const struct candidate *f);
	void *opaque;
	bool only_checks;        // nothing is left to cover: what is not a check waits
	uint32_t n_checks;       // that are candidates
	bool unsure;             // up to there, not every alternative is known, or was decided
	bool bounded;            // no more than some candidates of a branch edge wait with the strategy
	struct crowd crowd;      // the others
	struct candidate *later; // what waits
	size_t n_later, later_max;
	struct efforts efforts; // what the solver left in haste
	bool shares_tree;       // others solve queries, too: their solutions are to be run when the search meets them
};

// Keeps pointers into *s, which must not move.
void searcher_init(struct searcher *s, struct campaign *c, const struct strategy_options *o);
void searcher_release(struct searcher *s);

// Chooses candidates of one run, as slot->item with slot->candidates. `alone`: nothing is under way that could lead
// to more. False: the strategy has none for this worker now.
bool searcher_choose(struct searcher *s, struct campaign *c, struct worker_slot *slot, bool alone);
// What every job of a search asks for besides its item.
void searcher_fill(const struct searcher *s, const struct work_item *item, struct job *j);
// Of a search by_segment: what waited is offered from now on.
void searcher_end_segment(struct searcher *s);
// Nothing is left that its runs could cover: only checks are solved from now on; or, something is again.
void searcher_set_only_checks(struct searcher *s, bool only);
int searcher_take(struct searcher *s, struct campaign *c, struct worker_slot *slot, struct result *r, struct err *err);
// The store has evicted the item's input; the worker died of the item.
void searcher_evicted(struct searcher *s, struct campaign *c, struct worker_slot *slot);
void searcher_lost(struct searcher *s, struct campaign *c, struct worker_slot *slot);

#endif
