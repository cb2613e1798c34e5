// Which segments of the function that a run entered other ways of its decisions can lead to: what the coordinator need
// not try, when all of these are covered.
#ifndef VEER_WORKER_WAYS_H
#define VEER_WORKER_WAYS_H

#include "coverage/cover.h"
#include "expr/trace.h"
#include "path/decide.h"

// Fills in decision.ways of all decisions of a run that entered a function of the unit; those of runs that came to no
// marker can lead anywhere.
void ways_find(const struct cover *c, uint64_t unit, const struct trace *t, struct decisions *d);

#endif
