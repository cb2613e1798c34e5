// The coordinator's part in analysis scopes (scope.h): which bytes of a test are symbolic, fewer when the trace would
// not hold what depends on them, and others when these are done.
#ifndef VEER_EXPLORE_AMPLIFY_SCOPE_H
#define VEER_EXPLORE_AMPLIFY_SCOPE_H

#include "explore/campaign.h"
#include "explore/suite.h"
#include "worker/wire.h"

// What jobs of a scope say.
struct scoping {
	struct buf windows;
	uint64_t key;
};

// Scopes that earlier sessions began, into the suite. Before it is started.
int scoping_load(struct store *store, struct suite *s, struct err *err);

int scoping_begin(struct campaign *c, struct suite_test *t, struct scoping *ret, struct err *err);
void scoping_release(struct scoping *t);

// The recorded input has run, at distance 0. Sets *ret_narrowed when its trace did not hold all: then the scope waits
// again, with fewer symbolic bytes.
int scoping_ran(struct campaign *c, struct suite_test *t, const struct result *r, bool *ret_narrowed, struct err *err);

// That is known, and whether it showed something new: adds the scope behind it, which another worker can be at
// already.
int scoping_next(struct campaign *c, struct suite_test *t, struct err *err);

// The scope was analysed at its distance: stores that.
int scoping_past(struct campaign *c, struct suite_test *t, struct err *err);

#endif
