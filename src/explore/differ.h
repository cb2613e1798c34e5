// The driver of `veer diff`: two versions of a program, programs 0 (old) and 1 (new) of the workers. Explores both;
// every input runs on both, and when it reaches a goal, a change, the oracle compares what they do natively
// (findings/oracle_versions.c), on the input and on variations of it. The store has what came of each
// (store_set_comparison).
//
// Entries are functions that both versions have. Once a fifth of the budget is used up, or whole runs have nothing
// left, half of the time goes to runs that enter these with state that the input makes up: each entry has a search in
// each version, and every input with a new path is compared.
#ifndef VEER_EXPLORE_DIFFER_H
#define VEER_EXPLORE_DIFFER_H

#include <stddef.h>
#include <stdint.h>

#include "input/input.h"
#include "search/strategy.h"

// A function that runs can enter, in both versions.
struct differ_entry {
	uint32_t distance; // calls to what changed
	bool small;        // a proof that the versions are the same is worth trying before anything runs
};

// What became of an entry's search in a version.
struct differ_outcome {
	bool complete;       // every path was run
	bool proved;         // of the old version: no state on any pair of paths makes a difference
	uint64_t pairs;      // of paths of both versions that were joined
	uint64_t runs, open; // open: runs and queries that leave open whether there are other paths
};

// campaign_setup.driver_setup of driver_versions.
struct differ_setup {
	struct strategy_options strategy;
	const struct input *seeds;
	size_t n_seeds;
	// Of inputs of recorded tests: whether a snapshot of the store is one of the program. NULL: none is.
	bool (*takes)(void *opaque, int64_t snapshot);
	void *takes_opaque;
	const struct differ_entry *entries; // the nearest first
	uint32_t n_entries;
	uint32_t n_changes; // functions that can behave differently
	// The first input of an entry in a version; which entry and version an input is of, UINT32_MAX: it is a whole
	// run.
	void (*first)(void *opaque, uint32_t entry, uint32_t version, struct input *ret);
	uint32_t (*entry_of)(void *opaque, const struct input *in, uint32_t *ret_version);
	bool (*wanted)(void *opaque, uint32_t entry, const uint8_t *shown, uint32_t n); // goals that whole runs show
	void (*ended)(void *opaque, uint32_t entry, uint32_t version, const struct differ_outcome *o);
	void *opaque;
	size_t *ret_compared, *ret_different, *ret_noise; // how many inputs, in the end; over all sessions
};

struct driver;
extern const struct driver driver_versions;

#endif
