// The `sanitized` variant of a unit: AddressSanitizer, and undefined behaviour
// that is reported and then passed over.
#ifndef VEER_INSTRUMENT_SANITIZE_H
#define VEER_INSTRUMENT_SANITIZE_H

#include "base/err.h"
#include "instrument/module.h"

int sanitize_module(struct module *m, struct err *err);

// The `fragment-sanitized` variant: that, and entry at any function (instrument/fragment.h).
int sanitize_module_entered(struct module *m, struct err *err);

#endif
