// Workers for tests of the coordinator: processes that answer jobs as a real worker does, for a program that is a
// formula. Its input is a string of '0' and '1' on standard input, and it has one branch per byte, up to `branches`.
#ifndef VEER_TESTS_UNIT_FAKE_WORKER_H
#define VEER_TESTS_UNIT_FAKE_WORKER_H

#include <stddef.h>
#include <stdint.h>

#include "worker/worker.h"

enum { FAKE_LOG = 1 << 14, FAKE_BRANCHES = 24 };

// A job that some worker got.
struct fake_job {
	char input[FAKE_BRANCHES + 1];
	uint32_t flags, alternatives;
	uint64_t wanted; // JOB_MINIMISE: the only verdict; 0: none, or several
	int64_t pid;
};

// Shared by the test and its workers.
struct fake_log {
	uint32_t starts, n;
	struct fake_job v[FAKE_LOG];
	uint32_t queries[1 << 10]; // how often the branch edge was solved, by fake_edge
};

struct fake_program {
	unsigned branches;
	uint32_t unsat;           // a bit for each branch that goes one way only
	uint32_t unknown;         // likewise, whose other way the solver does not know
	const char *mutant;       // what mutation leads to; NULL: nothing
	const char *crash;        // the program crashes on this input, and the oracle sees why; NULL: on none
	const char *kill;         // the worker dies of this input; "": of every one; NULL: of none
	const char *kill_solving; // the worker dies when it solves queries off this input; NULL: off none
	const char *failed;       // the worker cannot work, and says so; NULL: it can
	unsigned job_us;          // duration of a job
	struct fake_log *log;
};

// What workers started from now on run. Not inside a test's own allocations: workers are processes.
extern struct fake_program fake_program;

struct fake_log *fake_log_new(void);
void fake_log_free(struct fake_log *log);

// For campaign_setup.worker_start.
int fake_worker_start(struct worker *ret, const struct worker_setup *setup, const char *worker_dir, struct err *err);

// The number of the branch edge after the first `n` bytes of the input, the last one included.
uint32_t fake_edge(const char *input, unsigned n);
// The bytes of an input, as text.
void fake_text(const struct input *in, char ret[FAKE_BRANCHES + 1]);

#endif
