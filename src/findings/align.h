// Two sequences aligned: which elements of one are which of the other, in the same order in both.
#ifndef VEER_FINDINGS_ALIGN_H
#define VEER_FINDINGS_ALIGN_H

#include <stdint.h>

enum { ALIGN_NONE = 0xffffffff, ALIGN_MOST = 1 << 20 }; // MOST: of the product of both lengths

// How well element i of the first sequence and k of the second one go together; 0: not at all.
typedef unsigned (*align_score)(void *opaque, uint32_t i, uint32_t k);

// ret[i]: the element of the second sequence that element i of the first one is, or ALIGN_NONE. The sum of scores is
// the largest that there is (with scores of 0 and 1: a longest common subsequence). Sequences that are too long are
// paired by their numbers.
void align(uint32_t n, uint32_t m, align_score score, void *opaque, uint32_t *ret);

#endif
