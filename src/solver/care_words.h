// Don't-care analysis by words: the methods `words` and, for a start, `mixed` (care.def).
#ifndef VEER_SOLVER_CARE_WORDS_H
#define VEER_SOLVER_CARE_WORDS_H

#include "expr/tape.h"

// Adds to `ret`, per variable of the pool, bits from which it follows that the steps `roots`, one bit wide, have
// the values that they have. The tape was run.
void care_words(const struct tape *t, const uint32_t *roots, uint32_t n, uint8_t *ret);

#endif
