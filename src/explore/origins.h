// Who asked for the solution that an input is, of two searches of one campaign; and the ways off runs that are kept
// until one of them comes there.
#ifndef VEER_EXPLORE_ORIGINS_H
#define VEER_EXPLORE_ORIGINS_H

#include "explore/strategy.h"

enum origin { ORIGIN_NOBODY, ORIGIN_FRONTIER, ORIGIN_EPISODES };

struct origins {
	struct origin_input *v; // by input
	size_t max;
};

void origins_release(struct origins *o);

// The first who asked counts.
void origins_note(struct origins *o, int64_t input, enum origin who);
enum origin origins_who(const struct origins *o, int64_t input);

// Keeps a way off the run of an input, which covered nothing; it is not a rare one. All of one run say the same of the
// run. False: the input was opened already, so it is not kept.
bool origins_defer(struct origins *o, const struct candidate *f);

// From now on nothing is kept of the input; what was is handed to `add`.
void origins_open(struct origins *o, int64_t input, void (*add)(void *opaque, const struct candidate *f), void *opaque);

#endif
