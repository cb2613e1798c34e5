// A worker of a campaign: a process of its own, inside the sandbox, that runs inputs, reads what they left, solves
// questions and lets the oracle look, one job at a time.
#ifndef VEER_EXPLORE_WORKER_H
#define VEER_EXPLORE_WORKER_H

#include "base/err.h"
#include "explore/cover.h"
#include "explore/wire.h"
#include "findings/filter.h"
#include "instrument/build.h"
#include "run/executor.h"
#include "run/sandbox.h"

struct worker_program {
	const char *path; // absolute
	uint64_t root;    // names it in keys; see decisions_read
	bool builds;      // has variants
	uint32_t since;   // how many had before it: workers that were started earlier do not know its coverage
};

struct worker_setup {
	const struct builder *explored, *sanitized, *native; // variants are in the cache already
	const struct worker_program *programs;
	uint32_t n_programs;
	const char *files; // of recorded tests: contents of their files; NULL: there are none, and runs start in `cwd`
	const char *sym;
	enum sandbox_mode mode;
	struct sandbox_limits limits;
	const char *cwd;             // where runs start
	unsigned milliseconds;       // of a run
	unsigned hang_ms;            // what takes longer may be a hang
	uint64_t solver_ns;          // of a question; 0: no limit
	uint64_t solver_conflicts;   // likewise
	uint64_t solver_bytes;       // memory of the solver; 0: 512 MB
	uint32_t decisions;          // of a run that are looked at
	uint32_t after;              // of those behind a turn that are told, with JOB_AFTER
	struct cover *cover;         // what the program has; each worker has a copy of its own
	const struct filter *filter; // which checks are asked for; NULL: all
	const struct input *largest; // parts must not grow beyond these; NULL: as they like
	void (*complain)(const char *path, const char *why);
};

struct worker {
	pid_t pid;
	int fd;
	char *worker_dir;
};

// `box`: an empty folder of its own. The setup must outlive the worker.
int worker_start(struct worker *ret, const struct worker_setup *setup, const char *worker_dir, struct err *err);
void worker_stop(struct worker *w);
void workers_stop(struct worker *const *all, size_t n); // takes no longer than one of them does

#endif
