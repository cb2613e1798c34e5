// Types of objects that a program makes symbolic itself.
#ifndef VEER_INSTRUMENT_TYPES_H
#define VEER_INSTRUMENT_TYPES_H

#include "base/buf.h"
#include "instrument/module.h"

// For each call of veer_make_symbolic and its like, with a variable and a name that are known: a line for each number
// in it, OBJECT, field ("at.x[2]"; "" for the whole), type of C, offset in bytes, with tabs between.
void types_list(struct module *m, struct buf *ret);

#endif
