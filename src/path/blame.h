// What a finding is about, in the trace of a run that has it: the event that went wrong, and the bytes of the input
// that are relevant to that.
#ifndef VEER_PATH_BLAME_H
#define VEER_PATH_BLAME_H

#include "expr/trace.h"

struct blame {
	uint32_t event; // n_events: nothing in the trace lies at the finding's place; then the run as a whole is meant
	uint32_t begin, end; // begin: the first, end: the first one behind those at that place which belong together:
	                     // checks of an access, values that were concretised for it
	bool fails;          // `event` is a check, and does not hold
};

// `file`, `line`: where the finding is. `stack`: "FUNCTION FILE:LINE" a line each, innermost first. The check may stand
// in a model of libc, or in a caller: of those that fail, the first one that lies nearest to the finding.
struct blame blame_find(const struct trace *t, const char *file, uint32_t line, const char *stack);

// A run that violates a check may not have it: where an access leads nowhere, there is no object that it could be
// beyond. So: the check at the finding's place that holds in the run `was`, and would not for the input of `now`; its
// event, n_events when there is none. Only for runs that took the same path there.
uint32_t blame_violated(const struct trace *was, const struct trace *now, const char *file, uint32_t line,
                        const char *stack);

// The bits of the inputs that are relevant to the path up to the place, and to what happens there.
struct blamed_bytes {
	uint8_t **masks; // per input of the trace, a byte for each of its bytes; NULL: none of them is relevant
	uint32_t *sizes; // of these
	uint32_t n;      // inputs
	uint32_t count;  // relevant bytes, without lengths, numbers of arguments and terminators
};

// False: unknown, since the trace is not all of the run, or more of the input went into calls that have no
// model than the trace says.
bool blame_bytes(struct blamed_bytes *ret, const struct trace *t, struct blame blame);
void blamed_bytes_release(struct blamed_bytes *b);

#endif
