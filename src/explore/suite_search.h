// The search from recorded tests, beside and after their amplification: for each program a search strategy whose seeds
// are the program's tests, in their environment snapshots, and everything that amplification found. Findings and
// coverage are those of the same campaign.
#ifndef VEER_EXPLORE_SUITE_SEARCH_H
#define VEER_EXPLORE_SUITE_SEARCH_H

#include "explore/amplify_target.h"
#include "explore/campaign_internal.h"

struct suite_search;

// NULL: the campaign only amplifies.
struct suite_search *suite_search_new(struct campaign *c);
void suite_search_free(struct suite_search *s);

// The test's own path was read: it is a seed from now on.
void suite_search_seed(struct campaign *c, const struct suite_test *t);
// An input in the corpus whose path the search is to know; entered once.
void suite_search_enter(struct campaign *c, const struct work_item *t, bool soon);

// Gives the worker something to do of the search; slot->works stays false when nothing is left. -1: error.
int suite_search_give(struct campaign *c, struct worker_slot *slot, struct err *err);

// The strategy that the item belongs to.
struct strategy *suite_search_strategy(struct campaign *c, const struct work_item *t);
// What of the test that the item comes from is symbolic: as in its first analysis target.
int suite_search_targeting(struct campaign *c, const struct work_item *t, const struct targeting **ret,
                           struct err *err);
struct work_queue *suite_search_oracle_queue(struct campaign *c, const struct work_item *t);
bool suite_search_take_oracle(struct campaign *c, struct work_item *ret); // of any program; false: none waits

// Whether the search is next, or amplification, when there is something of both.
bool suite_search_is_next(const struct campaign *c);
double suite_search_leaves(const struct campaign *c); // the share of the time that amplification has
// The worker's job is done: how much came of it, in branches that are new or the like.
void suite_search_account(struct campaign *c, const struct worker_slot *slot, double worth);

size_t suite_search_waiting(const struct campaign *c); // candidates
double suite_search_seconds(const struct campaign *c); // of workers

#endif
