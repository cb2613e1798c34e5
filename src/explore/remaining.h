// The segments of a program's functions, as a campaign that enters fragments sees them: which phase covered each first,
// which ones no made-up state leads to, and how many are left.
#ifndef VEER_EXPLORE_REMAINING_H
#define VEER_EXPLORE_REMAINING_H

#include <stdbool.h>
#include <stdint.h>

#include "coverage/cover.h"
#include "explore/progressive.h"
#include "path/decide.h"
#include "store/store.h"

enum { REMAINING_LEFT = PHASES, REMAINING_SETTLED }; // behind the phases

struct remaining_segment {
	uint32_t function; // of the plan; UINT32_MAX: none of its
	uint32_t marker;   // that it begins at
	uint32_t number;   // among the function's
	uint8_t state;     // the phase that covered it, or one of those above
	bool provable;     // runs can prove that it is out of reach
};

struct remaining {
	const struct cover *cover;
	struct remaining_segment *v; // by number (cover_segments)
	uint32_t n;
	uint32_t changes;   // how often a segment came to be known
	uint32_t *left;     // per function
	uint32_t *by, *end; // numbers of segments, function by function; per function, where its own end
};

struct remaining_setup {
	uint32_t n_functions;
	// The number of a function; UINT32_MAX: none of the plan's.
	uint32_t (*function)(void *opaque, const char *file, const char *name);
	void *opaque;
};

// What earlier sessions stored counts. The cover must outlive it.
void remaining_init(struct remaining *r, const struct cover *cover, const struct remaining_setup *setup,
                    struct store *store);
void remaining_release(struct remaining *r);

// Segments that are covered now were covered first by this phase; into the store, too. Returns how many, or -1.
int remaining_cover(struct remaining *r, enum phase phase, struct store *store, struct err *err);
// Every alternative between this marker and the next one was tried: segments that are not covered, and are provable,
// will not be.
int remaining_settle(struct remaining *r, uint32_t function, uint32_t marker, struct store *store, struct err *err);

// Segments that begin at the marker and are neither covered nor settled.
uint32_t remaining_at(const struct remaining *r, uint32_t function, uint32_t marker);

// Whether one of these is reachable.
bool remaining_leads(const struct remaining *r, uint32_t function, uint32_t marker,
                     const struct decision_segments *reachable);

// What the store says of a segment: as `state` above.
unsigned remaining_stored(struct store *store, const struct cover_segment *segment);
const char *remaining_word(unsigned state); // "ext", "out of reach"; of what is left: ""

#endif
