// Which inputs of fragments are kept at the end, of all that cover the same segments: those with the longest runs,
// since what a run did before is part of the program's state; those that fault only for what no other covers. Knows
// nothing of runs: the caller adds each.
#ifndef VEER_EXPLORE_SELECTION_H
#define VEER_EXPLORE_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct selected; // a run that is the best for some segment

struct selection {
	uint32_t segments;
	struct selected **best; // per segment; NULL: no run passed through it
	int64_t *seen;          // inputs that were offered, in order
	size_t n_seen, seen_max;
};

void selection_init(struct selection *s, uint32_t segments);
void selection_release(struct selection *s);

struct selection_run {
	int64_t input;
	uint64_t length; // segments that it passed through, each as often as it did
	bool faults;
	const uint8_t *passed; // segments, a bit each
	uint32_t n_passed;     // bytes
	bool keeps;            // for something that is no segment
};

// True: for some segment it is the best now, and its input must be kept until the end.
bool selection_offer(struct selection *s, const struct selection_run *run);

// The end: which inputs cover all that was covered, greedily, the longest first. Calls `drop` for all others that were
// offered.
void selection_end(struct selection *s, void (*drop)(void *opaque, int64_t input), void *opaque);

#endif
