// The search from recorded tests, beside and after their amplification: for each program a search strategy whose seeds
// are the program's tests, in their environment snapshots, and everything that amplification found. Findings and
// coverage are those of the same campaign.
#ifndef VEER_EXPLORE_SUITE_SEARCH_H
#define VEER_EXPLORE_SUITE_SEARCH_H

#include "explore/amplify_scope.h"
#include "explore/searcher.h"

struct suite_search;

struct suite_search *suite_search_new(struct campaign *c);
void suite_search_free(struct suite_search *s); // NULL: nothing to do

// The test's own path is known: the test is a seed from now on.
void suite_search_seed(struct campaign *c, const struct suite_test *t);
// The search is to know the path of the input. An input is entered once. `soon`: before the strategy's candidates.
void suite_search_enter(struct campaign *c, const struct work_item *t, bool soon);
// Whether the suite has a test of that snapshot; only its inputs may be entered.
bool suite_search_has(const struct campaign *c, int64_t snapshot);
// Where the input of a job runs: in the snapshot it was made in, or, when the suite no longer has that, in the job's
// own or in another one of the program.
int64_t suite_search_snapshot(const struct campaign *c, const struct work_item *t, int64_t made_in);

// Chooses something of the search for the worker: 1. 0: nothing is left for it.
int suite_search_choose(struct campaign *c, struct worker_slot *slot, struct err *err);
// The search of the program.
struct searcher *suite_search_of(struct campaign *c, uint32_t program);
// What is symbolic: as in the first analysis scope of the test that the item comes from.
int suite_search_scoping(struct campaign *c, const struct work_item *t, const struct scoping **ret, struct err *err);
bool suite_search_take_oracle(struct campaign *c, struct work_item *ret); // of any program; false: none waits
// What waits for the oracle, of one program; NULL: there are fewer programs.
const struct work_queue *suite_search_oracle(const struct campaign *c, uint32_t program);

// Whether the search is next, or amplification, when there is something of both.
bool suite_search_is_next(const struct campaign *c);
double suite_search_leaves(const struct campaign *c); // the share of the time that amplification has
// The worker's job is done; `worth`: what came of it, in branch edges that are new or the like.
void suite_search_account(struct campaign *c, const struct worker_slot *slot, double worth);

size_t suite_search_waiting(const struct campaign *c); // candidates
double suite_search_seconds(const struct campaign *c); // of workers

#endif
