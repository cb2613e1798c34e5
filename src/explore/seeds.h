// Recorded tests on their way into the store: from the folder that record/record.h wrote.
#ifndef VEER_EXPLORE_SEEDS_H
#define VEER_EXPLORE_SEEDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "store/store.h"

// Why seeds cannot be run again, and how many.
struct seeds_reason {
	char *why;
	size_t n;
};

struct seeds_counts {
	size_t executions; // that were read
	size_t seeds;      // different ones
	size_t known;      // of them, that were in the store before
	size_t damaged;    // files that could not be read
	size_t refused;    // seeds that cannot be reproduced
	struct seeds_reason *reasons;
	size_t n_reasons;
};

// Adds all that is recorded in `folder`; what was recorded before is no longer `present`, unless it is again. All or
// nothing. On success the caller calls seeds_release.
int seeds_import(struct store *s, const char *folder, struct seeds_counts *ret, struct err *err);
void seeds_release(struct seeds_counts *c);

// Values of variables that look like secrets, which an older veer stored, are overwritten. Looks once, and once more
// when something was merged.
int seeds_mask(struct store *s, bool merged, struct err *err);

#endif
