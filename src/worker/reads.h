// What a run read: files that its snapshot does not have, since the test that it was made from took another path; and
// how much of its inputs the beginning of its trace is about.
#ifndef VEER_WORKER_READS_H
#define VEER_WORKER_READS_H

#include "expr/trace.h"
#include "input/input.h"
#include "input/snapshot.h"

// Adds the files to the input, as they are today: those that come along with a finding (findings/fixture.h), up to
// 1 MB each. The names are the traced program's.
void reads_add(struct input *in, const struct trace *t, const struct snapshot *snapshot);

// Sets ret[i], for each input i of the trace, to the number of its bytes up to the last one that conditions and checks
// among the first `events` events depend on; 0: on none.
void reads_reach(const struct trace *t, uint32_t events, uint32_t *ret);

#endif
