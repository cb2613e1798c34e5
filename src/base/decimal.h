// Floats as people read them.
#ifndef VEER_BASE_DECIMAL_H
#define VEER_BASE_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

// Of 2, 4, 8 or 10 bytes (_Float16, float, double, long double): the decimal number with the fewest digits that is read
// as this float; "inf", "-nan".
void decimal_float(struct buf *out, const void *bytes, size_t size);

// The value of a _Float16, a type that not every compiler has.
double decimal_half(uint16_t bits);

#endif
