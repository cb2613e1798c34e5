// What the trace of a finding's run, beside that of its seed's, says about it.
#ifndef VEER_EXPLAIN_INSIGHT_H
#define VEER_EXPLAIN_INSIGHT_H

#include "explain/explain.h"
#include "expr/trace.h"

// Fills in the condition, values, path and relevant bytes. `was`: NULL when the seed could not be run.
void insight_take(struct explanation *x, const struct trace *now, const struct trace *was);

#endif
