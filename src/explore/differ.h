// The driver of `veer diff`: two versions of a program, programs 0 (old) and 1 (new) of the workers. Explores both;
// every input runs on both, and when it reaches a goal, a change, the oracle compares what they do natively
// (findings/oracle_versions.c), on the input and on variations of it. The store has what came of each
// (store_set_comparison).
#ifndef VEER_EXPLORE_DIFFER_H
#define VEER_EXPLORE_DIFFER_H

#include <stddef.h>
#include <stdint.h>

#include "input/input.h"
#include "search/strategy.h"

// campaign_setup.driver_setup of driver_versions.
struct differ_setup {
	struct strategy_options strategy;
	const struct input *seeds;
	size_t n_seeds;
	// Of inputs of recorded tests: whether a snapshot of the store is one of the program. NULL: none is.
	bool (*takes)(void *opaque, int64_t snapshot);
	void *opaque;
	size_t *ret_compared, *ret_different, *ret_noise; // how many inputs, in the end; over all sessions
};

struct driver;
extern const struct driver driver_versions;

#endif
