// What runs of two versions with the same made-up state leave, as expressions over that state: the condition under
// which it differs, on the paths that both runs took.
#ifndef VEER_WORKER_AGREEMENT_H
#define VEER_WORKER_AGREEMENT_H

#include "execute/executor.h"
#include "expr/import.h"
#include "findings/left.h"
#include "solver/slice.h"

// A run of a version (LAUNCH_LABELS in abi/launch.h).
struct agreement_side {
	struct run_result run;
	bool printed; // something
	struct trace trace;
	struct left left;
	struct import import; // both sides in one pool
};

// Is the path, and what the run leaves, all there is to say about it? Not when labels were lost, values used as they
// are or assumed to lie in an object, when it printed something or called the system, or did not return.
bool agreement_is_clear(const struct agreement_side *s);

// The conditions of the path, in the order of events, up to the event; added to *ret.
void agreement_path(struct agreement_side *s, uint32_t event, struct condition_list *ret);

// Under which condition what they leave differs: 0 never, otherwise one bit wide. `c`: from the old version to the new
// one. *ret_open: there are values that it does not speak of.
uint32_t agreement_differs(struct agreement_side *old, struct agreement_side *new, const struct convert *c,
                           bool *ret_open);

#endif
