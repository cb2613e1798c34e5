// Traces of earlier runs, by the number of their input: alternatives of a run are solved when they are chosen, with
// other runs in between, and without its trace it would have to run again. Of those that are too many, the ones that
// were not asked for longest go.
#ifndef VEER_WORKER_TRACES_H
#define VEER_WORKER_TRACES_H

#include <stddef.h>
#include <stdint.h>

#include "expr/trace.h"

struct traces {
	size_t most, bytes;                   // that they may have, and have
	struct cached_trace *newest, *oldest; // as they were asked for
	struct cached_trace **lists;          // by number
	size_t n, n_lists;
};

void traces_init(struct traces *t, size_t most);
void traces_release(struct traces *t);

// Keeps a copy, in place of the one there was for this number. A trace that is too large is not kept.
void traces_add(struct traces *t, uint64_t number, const struct trace *trace);

// NULL when it is not there. Good until another one is kept.
const struct trace *traces_find(struct traces *t, uint64_t number);

#endif
