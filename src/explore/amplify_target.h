// The coordinator's part in analysis targets (target.h): which bytes of a test are symbolic, fewer when the trace would
// not hold what depends on them, and others when these are done.
#ifndef VEER_EXPLORE_AMPLIFY_TARGET_H
#define VEER_EXPLORE_AMPLIFY_TARGET_H

#include "explore/campaign.h"
#include "explore/suite.h"
#include "explore/wire.h"

// What jobs of a target say.
struct targeting {
	struct buf windows;
	uint64_t key;
};

// Targets that earlier sessions began, into the suite. Before it is started.
int targeting_load(struct store *store, struct suite *s, struct err *err);

int targeting_begin(struct campaign *c, struct suite_test *t, struct targeting *ret, struct err *err);
void targeting_release(struct targeting *t);

// The recorded input has run, at distance 0. Sets *ret_narrowed when its trace did not hold all: then the target waits
// again, with fewer symbolic bytes.
int targeting_ran(struct campaign *c, struct suite_test *t, const struct result *r, bool *ret_narrowed,
                  struct err *err);

// That is known, and whether it showed something new: adds the target behind it, which another worker can be at
// already.
int targeting_next(struct campaign *c, struct suite_test *t, struct err *err);

// The target was analysed at its distance: stores that.
int targeting_past(struct campaign *c, struct suite_test *t, struct err *err);

#endif
