// Tables of variants that are not loaded (abi/cover.h, abi/graph.h, abi/words.h): of each unit a header, and what
// follows.
#ifndef VEER_COVERAGE_UNITS_H
#define VEER_COVERAGE_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/cover.h"
#include "base/buf.h"

// Takes the next unit. False: the table ends within it, or is of another kind; *ret_head and *ret are not filled in.
bool units_take(struct cursor *in, uint64_t magic, struct cover_sites *ret_head, struct cursor *ret);

#endif
