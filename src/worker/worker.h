// A worker of a campaign: a process of its own, inside the sandbox, that runs inputs, reads what they left, solves
// queries and calls the oracle, one job at a time.
#ifndef VEER_WORKER_WORKER_H
#define VEER_WORKER_WORKER_H

#include "base/err.h"
#include "coverage/cover.h"
#include "coverage/goals.h"
#include "execute/executors.h"
#include "findings/filter.h"
#include "findings/oracle.h"
#include "sandbox/sandbox.h"
#include "variants/build.h"
#include "worker/wire.h"

struct worker_program {
	struct target target;
	bool builds;       // has variants
	struct strv words; // what its conditions compare with (coverage/words.h)
	uint32_t since;    // how many had before it: workers that were started earlier do not know its coverage
};

struct worker_setup {
	const struct builder *builder; // whose variants are in the cache already; which one does not count
	const char *traced;            // the variant that inputs run as; NULL: explored
	const struct oracle *oracle;   // of JOB_ORACLE; NULL: nobody asks
	const struct worker_program *programs;
	uint32_t n_programs;
	const char *files; // of recorded tests: contents of their files; NULL: there are none, and runs start in `cwd`
	const char *sym;
	enum sandbox_mode mode;
	struct sandbox_limits limits;
	const char *cwd;             // where runs start
	unsigned milliseconds;       // of a run
	unsigned hang_ms;            // what takes longer may be a hang
	uint64_t solver_ns;          // per query; 0: no limit
	uint64_t solver_conflicts;   // likewise
	unsigned solver_floats;      // enum solver_floats
	uint64_t solver_bytes;       // memory of the solver; 0: 512 MB
	uint32_t decisions;          // of a run that are analysed
	uint32_t after;              // most decisions reported behind a branch flip, with JOB_AFTER
	bool versions;               // programs 0 and 1 are two versions of one: the oracle compares them
	const struct twins *twins;   // likewise: functions that runs can enter; NULL: none
	const struct goals *goals;   // what runs report having reached; NULL: nobody asks
	struct cover *cover;         // what the program has; each worker has a copy of its own
	const struct filter *filter; // which checks are asked for; NULL: all
	bool float_checks;           // operations on floats are checked, too (filter_asks_floats)
	const struct input *largest; // parts must not grow beyond these; NULL: as they like
	void (*complain)(const char *path, const char *why);
};

struct worker {
	pid_t pid;
	int fd;
	enum sandbox_mode mode;
	char *worker_dir;
};

// `box`: an empty folder of its own. The setup must outlive the worker.
int worker_start(struct worker *ret, const struct worker_setup *setup, const char *worker_dir, struct err *err);
void worker_stop(struct worker *w);
void workers_stop(struct worker *const *all, size_t n); // takes no longer than one of them does

#endif
