// What both versions show on the examples of differences: native runs in the sandbox, for reports and tests.
#ifndef VEER_SESSION_WITNESS_H
#define VEER_SESSION_WITNESS_H

#include <signal.h>

#include "execute/executor.h"
#include "sandbox/sandbox.h"
#include "session/difference_views.h"
#include "variants/build.h"

struct witness_setup {
	struct store *store;
	const struct builder *builder;
	enum sandbox_mode mode;
	const char *cwd, *files, *worker_dirs; // absolute; files: contents of those of recorded tests
	const char *programs[CHANGE_SIDES];    // absolute
	const volatile sig_atomic_t *stop;     // not 0: no more runs; NULL: nobody asks
};

// What a version showed on an input.
struct witness {
	bool ran; // false: it could not be run
	struct run_result run;
	struct buf output; // standard output and error, in the order in which they were written
};

// Runs both versions on inputs of the store: ret[i * CHANGE_SIDES + side] for ids[i]; after ten seconds, no more of
// them. The caller releases each.
void witness_run(const struct witness_setup *setup, const int64_t *ids, uint32_t n, struct witness *ret);
void witness_release(struct witness *w);

// Runs the examples and fills in `end`, `output` and `size` of each side. What cannot be run stays as it is.
void witness_see(struct difference_views *v, const struct witness_setup *setup);

// The input of a difference, and the snapshot it ran in. *ret_has_snapshot: false when there is none. The caller
// releases both.
int witness_input(struct store *s, int64_t id, struct input *ret, struct snapshot *ret_snapshot, bool *ret_has_snapshot,
                  struct err *err);

#endif
