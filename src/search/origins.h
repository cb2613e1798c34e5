// Which of the two searches of a portfolio solved for an input first; and the candidates that are deferred until the
// frontier search comes to their run.
#ifndef VEER_SEARCH_ORIGINS_H
#define VEER_SEARCH_ORIGINS_H

#include "search/strategy.h"

enum origin { ORIGIN_NOBODY, ORIGIN_FRONTIER, ORIGIN_EPISODES };

struct origins {
	struct origin_input *v; // by input
	size_t max;
};

void origins_release(struct origins *o);

// The first search counts.
void origins_note(struct origins *o, int64_t input, enum origin who);
enum origin origins_who(const struct origins *o, int64_t input);

// Defers a candidate of the run of an input without new coverage; it is not a rare one. All candidates of one run say
// the same of the run. False: the input was opened already, so the candidate is not deferred.
bool origins_defer(struct origins *o, const struct candidate *f);

// From now on no candidate of the input is deferred; those that were go to `add`.
void origins_open(struct origins *o, int64_t input, void (*add)(void *opaque, const struct candidate *f), void *opaque);

#endif
