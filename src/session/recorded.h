// Recorded tests of another campaign (veer record, veer test) as first inputs of whole runs.
#ifndef VEER_SESSION_RECORDED_H
#define VEER_SESSION_RECORDED_H

#include <stddef.h>

#include "base/err.h"
#include "input/input.h"

// Adds the inputs of the tests in `folder` that ran the program with this path: arguments and standard input, as they
// were recorded; what else there was then is as it is now. Returns how many there are of it, or -1.
int recorded_add(const char *folder, const char *program, struct input **v, size_t *n, struct err *err);

#endif
