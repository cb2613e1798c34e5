// Text that may be anybody's, for terminals and pages.
#ifndef VEER_BASE_UTF8_H
#define VEER_BASE_UTF8_H

#include <stddef.h>

#include "base/buf.h"

// Length of the UTF-8 character at the start; 0 when there is none: surrogates, overlong forms, beyond U+10FFFF. `n`:
// at least 1.
size_t utf8_length(const void *text, size_t n);

// Adds the text with U+FFFD in place of control characters and of what is not UTF-8.
void utf8_clean(struct buf *out, const void *text, size_t size);

#endif
