// The traced variant has to do what the program itself does: two runs of the same input are compared by how they ended,
// what they printed, and what they wrote to files.
#ifndef VEER_EXPLORE_COMPARE_H
#define VEER_EXPLORE_COMPARE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "explore/account.h"
#include "expr/trace.h"
#include "run/executor.h"
#include "run/written.h"

struct observed {
	struct run_result run;
	struct buf output; // standard output and error, in the order in which they were written
	struct written written;
};

void observed_release(struct observed *o);

// Runs the input, and notes what it did.
int observe(struct executor *e, const struct input *in, unsigned milliseconds, struct observed *ret, struct err *err);

// Was the run ended by a limit of veer's, and can tell nothing?
bool observed_is_cut(const struct observed *o);

// Whether the traced run did what the native one did. If not, *ret_why says in a line what differs first.
// `again`: another native run; what the two do not agree on is not compared. NULL: none.
bool observed_same(const struct observed *native, const struct observed *traced, const struct observed *again,
                   struct buf *ret_why);

struct compare {
	struct executor *native, *traced; // in the same snapshot, if there is one
	const struct input *input;
	unsigned native_ms;         // limit of the native run
	unsigned least_ms, most_ms; // of the traced one, which follows the native time
	// Runs the input traced, as it will be analysed, and says what it recorded.
	int (*run)(void *opaque, const struct compare *c, unsigned milliseconds, struct run_result *ret,
	           const struct trace **ret_trace, struct err *err);
	void (*forget)(void *opaque); // that run is not the executor's last any more
	void *opaque;
	// What came of it.
	enum outcome outcome; // OUTCOME_NONE: all is the same
	char *differs;        // it cannot be analysed, and why; NULL: it can, at least in part. The caller frees it
	uint64_t native_us;
};

// Whether the program does what was recorded (in a snapshot), and its traced variant what the program does. A
// difference is looked at again: natively, and traced with the clock and the random numbers of the machine, since it
// may be the program's own doing. 0, or -1 with *err filled when nothing can be run.
int compare(struct compare *c, struct err *err);

#endif
