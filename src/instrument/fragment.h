// Entry at any function of a unit, and calls that can be replaced (abi/fragment.h), for both fragment variants.
//
// In every function, behind the stores of its parameters, stands
//
//     switch (mode) {
//     default:             body
//     FRAGMENT_STUB:       return what __veer_f_stub() made up
//     FRAGMENT_PROBE:      its place in __veer_f_probe() = each parameter; __veer_f_probed(); body
//     FRAGMENT_ENTER + k:  frame = __veer_f_enter(); each live variable = its place in frame; goto marker k
//     }
//
// so that parameters by value, in pieces or in memory need no care, and to enter a function is to enter its marker 0.
// A function without arguments, the thunk, calls it with zeros.
#ifndef VEER_INSTRUMENT_FRAGMENT_H
#define VEER_INSTRUMENT_FRAGMENT_H

#include "instrument/markers.h"
#include "instrument/module.h"
#include "instrument/shapes.h"

// Before all passes, behind those who plan by the code as clang left it. What is inserted is instrumented like any
// code. Puts the block of shapes into the module, with what was found out here. `probes`: calls can be probed, which
// needs labels.
void fragment_insert(struct module *m, struct shapes *shapes, const struct markers_table *markers, bool probes);

// Calls of functions of the system ask the runtime first (abi/outside.def).
void fragment_redirect_outside(struct module *m);

#endif
