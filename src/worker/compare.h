// The traced variant has to do what the program itself does: two runs of the same input are compared by what they
// showed.
#ifndef VEER_WORKER_COMPARE_H
#define VEER_WORKER_COMPARE_H

#include <stdbool.h>

#include "base/err.h"
#include "execute/executor.h"
#include "execute/observation.h"
#include "expr/trace.h"
#include "store/account.h"

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
// difference is examined again: natively, and traced with the clock and the random numbers of the machine, since it
// may be the program's own doing. 0, or -1 with *err filled when nothing can be run.
int compare(struct compare *c, struct err *err);

#endif
