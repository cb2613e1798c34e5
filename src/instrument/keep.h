// Keeps what an optimiser may remove, because nobody uses its result, until it was checked.
#ifndef VEER_INSTRUMENT_KEEP_H
#define VEER_INSTRUMENT_KEEP_H

#include "instrument/module.h"

// Calls of library functions are calls like any other, as with -fno-builtin, and no declaration promises that a call
// without a use can be dropped. Before any pass.
void keep_calls(struct module *m);

enum keep_loads {
	KEEP_ALL_LOADS,    // through a pointer that may be wrong
	KEEP_UNUSED_LOADS, // of these, those whose value reaches no store, call or branch
};

// After sroa, so that variables are values: makes these loads volatile.
void keep_loads(struct module *m, enum keep_loads which);

#endif
