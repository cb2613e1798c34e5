// Keeps what an optimiser may remove, because nobody uses its result, until it was checked. Calls: undefined.def.
#ifndef VEER_INSTRUMENT_KEEP_H
#define VEER_INSTRUMENT_KEEP_H

#include "instrument/module.h"

// No tail calls: one takes its caller's frame away, and with it the place of what the callee reports.
void keep_frames(struct module *m);

enum keep_loads {
	KEEP_ALL_LOADS,    // through a pointer that may be wrong
	KEEP_UNUSED_LOADS, // of these, those whose value reaches no store, call or branch
};

// After sroa, so that variables are values: makes these loads volatile.
void keep_loads(struct module *m, enum keep_loads which);

#endif
