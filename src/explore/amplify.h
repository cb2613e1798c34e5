// The coordinator's part in amplifying recorded tests: each worker is at one test, at one distance (amplification.h),
// until nothing is left of it or its share of the time is used up.
#ifndef VEER_EXPLORE_AMPLIFY_H
#define VEER_EXPLORE_AMPLIFY_H

#include "explore/campaign_internal.h"

void amplify_init(struct campaign *c);
// What is known of findings before anything runs. After all else is loaded.
int amplify_load(struct campaign *c, struct err *err);
// All programs have their variants: findings of programs or tests that have changed since are looked at again.
int amplify_built(struct campaign *c, struct err *err);
void amplify_ends(struct campaign *c);
void amplify_release(struct campaign *c);

// Gives the worker something to do; slot->works stays false when there is nothing.
int amplify_give(struct campaign *c, struct worker_slot *slot, struct err *err);
// At the end of a session: only what the oracle has not seen of its test. Takes it, or sends it; false, or slot->works
// stays false: nothing is left, and the worker is at no test any more.
bool amplify_take_pending(struct campaign *c, struct worker_slot *slot, struct work_item *ret);
int amplify_give_pending(struct campaign *c, struct worker_slot *slot, struct err *err);
int amplify_take(struct campaign *c, struct worker_slot *slot, struct result *r, struct err *err);

// What of the input is symbolic, for a job of the test that the worker is at.
int amplify_fill_job(struct campaign *c, const struct worker_slot *slot, struct job *j, struct err *err);

// The worker died of what it was at.
void amplify_lost(struct campaign *c, struct worker_slot *slot);

// Nothing was left out, at any distance or by the search, of the tests that are amplified.
bool amplify_is_complete(const struct campaign *c);

size_t amplify_waiting(const struct campaign *c);

#endif
