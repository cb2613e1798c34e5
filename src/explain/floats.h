// Which bytes of the input a run computed with as floats.
#ifndef VEER_EXPLAIN_FLOATS_H
#define VEER_EXPLAIN_FLOATS_H

#include "explain/explain.h"
#include "explain/trace_pair.h"

void floats_take(struct explanation *x, const struct trace_pair *s);

#endif
