// The path of one run: its conditions in order, and the queries of its alternatives.
#ifndef VEER_PATH_PATH_H
#define VEER_PATH_PATH_H

#include "expr/import.h"
#include "expr/known.h"
#include "solver/slice.h"
#include "solver/solver.h"

struct path {
	struct import import;
	struct known known; // from the conditions of events before `next`
	struct slice slice; // and these, by their place in the lists
	uint32_t next;
	struct condition_list original, rewritten;   // the conditions of the path
	struct condition_list related;               // of the last query: their places
	struct condition_list conditions, originals; // and they themselves
};

// The trace must outlive the path.
void path_init(struct path *p, struct expr_pool *pool, const struct trace *t);
void path_release(struct path *p);

// Leaves the trace, and enters another one. What is as large as the pool stays: to make that anew for each path would
// cost more than the path.
void path_leave(struct path *p);
void path_enter(struct path *p, const struct trace *t);

// Adds what holds of the input in every query, whatever the path.
void path_always(struct path *p, uint32_t condition);

// Whether an event has an alternative: a condition, or a check that can be violated. An
// assumption that holds cannot.
bool path_can_negate(const struct path *p, uint32_t event);

// The query of this event's alternative: the conditions before it that share variables with its own, and its own,
// negated. Of ascending events each is cheap; going back starts over. The query is
// good until the next one.
struct query path_negate(struct path *p, uint32_t event);

// Likewise, with another condition to hold there.
struct query path_query(struct path *p, uint32_t event, uint32_t condition);

// The conditions of the path up to the event, all of them, and what always holds of the input; with the last
// one negated or not. For checks of whole inputs.
struct query path_whole(struct path *p, uint32_t event, bool negate);

// The same, and that everything stays what it is under `bytes` that the program can see without labels: what went
// into calls before the event that labels are lost in (EVENT_PASSED), and the number of arguments. `bytes` has a
// value for every variable of the pool. For the don't-care analysis: when such a thing changes, the program may
// take another path, although no condition says so.
struct query path_kept(struct path *p, uint32_t event, bool negate, const uint8_t *bytes);

// Whether more went into such calls than the events before this one have.
bool path_gives_more(const struct path *p, uint32_t event);

#endif
