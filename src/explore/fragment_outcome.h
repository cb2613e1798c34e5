// What becomes of fragments, counted: for reports, and by phase for the store.
#ifndef VEER_EXPLORE_FRAGMENT_OUTCOME_H
#define VEER_EXPLORE_FRAGMENT_OUTCOME_H

#include "explore/fragment_driver.h"
#include "explore/work.h"
#include "store/store.h"
#include "worker/wire.h"

void fragment_outcome_add(struct fragment_outcome *o, const struct work_item *t, const struct result *r);
// The counter "WHAT.PHASE"; nothing to do when n is 0.
int fragment_count_phase(struct store *store, enum phase phase, const char *what, uint32_t n, struct err *err);

#endif
