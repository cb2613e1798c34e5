// Which segments of the function that a run entered the alternatives of its decisions can lead to: what the coordinator
// need not try, when all of these are covered.
#ifndef VEER_WORKER_REACHABLE_H
#define VEER_WORKER_REACHABLE_H

#include "coverage/cover.h"
#include "expr/trace.h"
#include "path/decide.h"

// Fills in decision.reachable of all decisions of a run that entered a function of the unit; those of runs that came to
// no marker can lead anywhere.
void reachable_find(const struct cover *c, uint64_t unit, const struct trace *t, struct decisions *d);

#endif
