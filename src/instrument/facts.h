// Facts of a unit (abi/facts.h), for comparing two versions of a program. Hashes do not depend on debug information, on
// names of values, on the order of functions and locals, on line numbers, on __LINE__ and __FILE__ in calls, or on what
// assertions print. Needs: bitcode as veer-cc makes it, before any pass; afterwards it can only be released.
#ifndef VEER_INSTRUMENT_FACTS_H
#define VEER_INSTRUMENT_FACTS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "instrument/module.h"

// `reduced`: FACTS_REDUCED, which takes most of the time, is wanted, too.
int facts_list(struct module *m, bool reduced, struct buf *ret, struct err *err);

#endif
