// The `traced` variant of a unit: every value carries a label beside it.
#ifndef VEER_INSTRUMENT_TRACE_H
#define VEER_INSTRUMENT_TRACE_H

#include "base/err.h"
#include "instrument/module.h"

int trace_module(struct module *m, struct err *err);

// The `explored` variant: that, and counters of what ran (abi/cover.h).
int trace_module_counting(struct module *m, struct err *err);

// The `fragment` variant: that, counters of segments (markers.h), and entry at any function (fragment.h).
int trace_module_entered(struct module *m, struct err *err);

#endif
