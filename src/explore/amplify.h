// The driver of `veer test` and `veer amplify`: amplifies recorded tests. Each worker is at one test, at one distance
// (amplification.h), until nothing is left of it or its share of the time is used up. The search from all tests
// (suite_search.h) takes turns with that.
#ifndef VEER_EXPLORE_AMPLIFY_H
#define VEER_EXPLORE_AMPLIFY_H

#include "base/err.h"
#include "explore/suite.h"
#include "search/strategy.h"

// campaign_setup.driver_setup of driver_amplify. Callbacks get campaign_setup.opaque.
struct amplify_setup {
	struct suite *suite;                                             // recorded tests
	bool searches;                                                   // the search from all tests runs, too
	struct strategy_options strategy;                                // of that search, but for the graph:
	const struct graph *(*graph_of)(void *opaque, uint32_t program); // for strategies with episodes
	// A finding of an earlier session, by its key: it is reproduced; or not, and is about to be marked as gone.
	int (*known)(void *opaque, uint64_t key, bool still, struct err *err);
	// Programs are still being built, otherwise NULL: enters those that have their variants since
	// (worker->programs, suite_ready). False: nothing is being built any more.
	bool (*awaits)(void *opaque);
};

struct driver;
extern const struct driver driver_amplify;

#endif
