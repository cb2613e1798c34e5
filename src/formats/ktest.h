// The bytes of a .ktest file, version 3.
#ifndef VEER_FORMATS_KTEST_H
#define VEER_FORMATS_KTEST_H

#include "formats/foreign.h"

// Objects without bytes are left out, which KLEE cannot read.
void ktest_encode(const struct foreign *s, struct buf *ret);

#endif
