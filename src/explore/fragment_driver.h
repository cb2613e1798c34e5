// The driver of `veer cover`: progressive symbolic execution (progressive.h). Each fragment of the program has a search
// of its own; a worker explores one fragment at a time, for the slice that the plan gives it.
#ifndef VEER_EXPLORE_FRAGMENT_DRIVER_H
#define VEER_EXPLORE_FRAGMENT_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#include "explore/progressive.h"
#include "input/input.h"
#include "possible/precondition.h"
#include "search/strategy.h"

// What became of a fragment, for reports.
struct fragment_outcome {
	uint64_t runs, inputs; // inputs: that covered something new
	uint64_t cut;          // runs with more decisions or nodes than are analysed, or that took too long
	uint64_t unknown;      // queries that the solver did not decide
	uint64_t unmodelled;   // runs that lost labels in functions without a model
	uint32_t segments;     // that its runs covered first
};

// campaign_setup.driver_setup of driver_fragments.
struct fragment_driver_setup {
	struct progressive_setup plan; // `left` is the driver's own: see below
	struct strategy_options strategy;
	const struct input *seeds; // of whole runs
	size_t n_seeds;
	// The first input of a fragment, which has what identifies it as a part of kind FRAGMENT. *ret is empty.
	void (*first)(void *opaque, const struct plan_fragment *f, struct input *ret);
	// Which function of the program a name and a file are, as coverage has them; UINT32_MAX: none of the plan's.
	uint32_t (*function)(void *opaque, const char *file, const char *name);
	// See lifting.h.
	int (*assess)(void *opaque, const struct possible_evidence *e, struct possible *p, struct err *err);
	// At the end, for each fragment, whether it was explored or not.
	void (*ended)(void *opaque, const struct plan_fragment *f, const struct fragment_outcome *o);
	void *opaque;
};

struct driver;
extern const struct driver driver_fragments;

#endif
