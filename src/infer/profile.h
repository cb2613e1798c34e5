// Profiles: how often each segment was executed, without their order. Acyclic path profiles (Ball and Larus) count
// paths from one loop head, entry or exit to the next, which segments are, but for those that calls and splits cut.
#ifndef VEER_INFER_PROFILE_H
#define VEER_INFER_PROFILE_H

#include <stddef.h>

#include "infer/model.h"

// 1 minus the sum of differences of counts, relative to the length of the true path; at least 0. Numbers that the model
// does not have are counted together.
double profile_accuracy(const struct model *m, const uint32_t *truth, size_t n, const uint32_t *inferred,
                        size_t n_inferred);

#endif
