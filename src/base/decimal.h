// Floats as people read them.
#ifndef VEER_BASE_DECIMAL_H
#define VEER_BASE_DECIMAL_H

#include <stddef.h>

#include "base/buf.h"

// Of 4, 8 or 10 bytes (float, double, long double): the decimal number with the fewest digits that is read as this
// float; "inf", "-nan".
void decimal_float(struct buf *out, const void *bytes, size_t size);

#endif
