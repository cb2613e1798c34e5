// The decisions of a path, and their alternatives. A key names a path up to and including a decision: two runs with the
// same decisions have the same keys. An alternative has the key that a run which takes it would have there, so the set
// of keys is the execution tree.
#ifndef VEER_PATH_DECIDE_H
#define VEER_PATH_DECIDE_H

#include <stdint.h>

#include "path/path.h"

enum alternative_op {
	ALTERNATIVE_NEGATE,  // a condition, negated
	ALTERNATIVE_CASE,    // a switch, to the place numbered `value`
	ALTERNATIVE_DEFAULT, // likewise, to where values go that are no case
	ALTERNATIVE_OTHER,   // a value that was concretised, to any that is not known yet
	ALTERNATIVE_VIOLATE, // a check: no decision, the run would go on
	ALTERNATIVE_GROW,    // an access that a cell is too small for: the cell of `value` bytes (apply_grown)
	ALTERNATIVE_HOLD,    // a check that failed: it holds; no decision, likewise
	ALTERNATIVE_OPS
};

struct alternative {
	uint64_t key;
	uint64_t edge;    // names the place, what is compared there and the branch edge, whatever came before
	uint64_t site;    // the place alone
	uint64_t context; // the edge, and how the decision before it went
	uint64_t pair;    // the edge, and that one before it which the fewest runs took
	uint64_t value;
	uint8_t op;
	bool rare; // ALTERNATIVE_OTHER, for the coordinator: one of very many
};

// No run comes by the key of such an alternative: a solution settles it.
static inline bool alternative_is_settled(const struct alternative *a)
{
	return a->op == ALTERNATIVE_VIOLATE || a->op == ALTERNATIVE_GROW || a->op == ALTERNATIVE_HOLD;
}

struct visits;

// Of the function that a run entered: the segments that alternatives of a decision can lead to, by number:
// from `first` on to `end`, without those from `but_first` on to `but_end`. Set by who knows segments.
struct decision_segments {
	uint32_t first, end, but_first, but_end;
};

struct decision {
	uint32_t event;
	uint32_t first, alternatives;       // in the array of alternatives
	uint64_t key, edge;                 // key: as it went. The same as that before it for a check
	uint64_t place;                     // names the decision itself, whichever way: of ALTERNATIVE_OTHER
	uint64_t value;                     // as it went
	uint64_t point;                     // its name in the graph (abi/graph.h); 0: it is in none
	uint32_t taken;                     // the edge that the run took: 1 or 0, of a switch the target
	bool check;                         // no decision: it holds, or not, and the run goes on
	struct decision_segments reachable; // of a fragment's first segment
	bool past;                          // the function that the run entered came to its next marker before
	bool sensitive; // a place where something could go wrong stands between it and the next decision
};

struct decisions {
	struct decision *v;
	uint32_t n, max;
	struct alternative *alternatives;
	uint32_t n_alternatives, alternatives_max;
	uint64_t path;   // the key of all of them; 0: the run broke an assumption, so that it ended
	uint64_t last;   // edge of the decision before, while they are read
	uint64_t rarest; // likewise, of those before that which the fewest runs took
	uint32_t rarest_runs;
	bool cut;        // there are more than were asked for, or alternatives that are left out
	uint64_t *sites; // scratch
	uint32_t n_sites;
	uint8_t *asked; // likewise: labels of checks, a bit each
	size_t asked_size;
	// Whether a check or access is of interest; `place`: names where it stands. NULL: all are. Set by who reads.
	bool (*wants)(void *opaque, const struct trace *t, const struct trace_event *e, uint64_t place);
	void *opaque;
	bool past;             // while they are read
	bool hold;             // checks that failed have an alternative, too. Set by who reads
	struct visits *visits; // of edges, by all runs whose decisions were read
	uint32_t n_visits, n_runs;
};

// Reads at most `most` decisions of the trace. `root`: names the program; keys of different ones are different. A check
// of something that was checked before on this path is left out: when it could fail here, it could there. What is not
// wanted is left out, too, and leaves the keys of all others as they are.
void decisions_read(struct decisions *d, const struct trace *t, uint64_t root, uint32_t most);
void decisions_release(struct decisions *d);

// The query of the alternative of this event. `known`: values that ALTERNATIVE_OTHER must not take.
struct query alternative_query(struct path *p, uint32_t event, const struct alternative *alternative,
                               const uint64_t *known, uint32_t n_known);

// The same for a check that is to fail by at most so many bytes, behind an object or before it. False: it is no
// comparison of an offset or size with the bounds of an object.
bool alternative_near(struct path *p, uint32_t event, uint64_t most, struct query *ret);

#endif
