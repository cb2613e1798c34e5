// A campaign: runs inputs, solves the queries of their alternatives, runs the solutions, and so on until nothing is
// left or a budget is used up. The coordinator has workers, queues, clocks and the store; its driver (driver.h) chooses
// what the workers do and what becomes of their results.
#ifndef VEER_EXPLORE_CAMPAIGN_H
#define VEER_EXPLORE_CAMPAIGN_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "coverage/cover.h"
#include "input/input.h"
#include "search/features.h"
#include "store/store.h"
#include "worker/worker.h"

enum { CAMPAIGN_DIFFERS = 5 };

struct campaign_counts {
	uint64_t runs, reruns, queries, sat, unsat, unknown;
	uint64_t expected, diverged;  // runs of solutions that took the solved branch edge, and that did not
	uint64_t diverged_unmodelled; // of those that did not: runs that called functions without a model
	uint64_t crashes, timeouts, oracle_runs, inputs, corpus;
	uint64_t errors, warnings, resources; // new findings by level
	uint64_t checks, checks_unique;       // queries whether a check can fail; different checks among them
	uint64_t cut, full;                   // runs with more decisions, or trace nodes, than are analysed
	uint64_t partial;                     // runs that did more than their path shows
	uint64_t lossy;                       // of them, those that lost labels in functions without a model
	uint64_t paths;                       // different ones, of runs that broke no assumption
	uint64_t us_run, us_read, us_solve, us_oracle, us_care, us_match, us_store;
	uint64_t us_jobs;             // what workers did for jobs with a result: the six before, and the rest
	uint64_t us_waiting;          // from sending these to taking their results, less us_jobs
	uint64_t us_unfinished;       // of jobs without a result: the session ended, or their worker was lost
	uint64_t care, care_of;       // corpus: relevant bytes, of how many bytes
	uint64_t cared;               // corpus inputs whose relevant bytes are known
	uint64_t with_input;          // runs that read symbolic input
	uint64_t compared, differing; // inputs whose traced run was compared with the native one; those that differ
	// Amplification:
	uint64_t matched;  // tests that run again as they were recorded
	uint64_t skipped;  // queries and runs that there was no time for
	uint64_t narrowed; // runs whose trace was too large, repeated with fewer symbolic bytes
	uint64_t mutated;  // runs of mutated inputs, which are part of `runs`
	uint64_t searched; // runs of the search from all tests
};

struct campaign;
struct driver;

// Starts a worker process that answers jobs (wire.h) on ret->fd.
typedef int (*campaign_worker_start)(struct worker *ret, const struct worker_setup *setup, const char *worker_dir,
                                     struct err *err);

struct campaign_setup {
	const struct driver *driver;
	const void *driver_setup; // as the driver documents: search_driver.h, amplify.h
	struct store *store;      // open; may have an earlier session
	const struct worker_setup *worker;
	campaign_worker_start worker_start; // NULL: worker_start
	const char *worker_dirs;            // a folder for the workers' own directories
	struct cover *cover;                // of the programs, with nothing covered yet
	bool deterministic;                 // no decision depends on a clock
	double seconds;                     // budget; 0: until nothing is left
	double began;                       // when the budget began, by campaign_now; 0: now
	bool cpu;                           // the budget is processor time, of all processes together
	uint64_t runs;                      // budget of runs; 0: no limit
	unsigned jobs;                      // workers; 0: 1
	size_t tree_max;                    // keys; 0: 16 million
	volatile sig_atomic_t *stop;        // set from outside: the campaign ends in good order
	void (*progress)(void *opaque, const struct campaign *c); // about twice a second
	// More than CAMPAIGN_DIFFERS percent of the compared runs differ from their native runs; called once. `first`
	// says what differs for `input`, the first of them.
	void (*differs)(void *opaque, const struct campaign *c, int64_t input, const char *first);
	// A new finding, which is committed to the store, with the smallest input that shows it. `snapshot`: of the
	// recorded test that it comes from; 0: none.
	int (*found)(void *opaque, const struct stored_finding *f, const struct verdict *v, const struct input *in,
	             int64_t snapshot, struct err *err);
	// The campaign generated an input that covers something new; NULL: nobody wants to know.
	int (*corpus)(void *opaque, const struct campaign *c, const struct input *in, struct err *err);
	void *opaque; // for all callbacks, the driver's too
};

struct campaign {
	const struct campaign_setup *setup;
	struct campaign_counts counts;
	double elapsed;     // seconds of the budget's clock
	double wall;        // seconds on the wall
	size_t waiting;     // work that the driver has left
	size_t missed;      // branch edges whose solution diverged
	double searched;    // amplification: worker seconds of the search from all tests
	size_t candidates;  // amplification: candidates that this search has left
	size_t replays;     // inputs of earlier sessions that are to be replayed, to fill the tree
	size_t unconfirmed; // inputs that the oracle had no time for
	size_t uncared;     // corpus inputs whose relevant bytes are not known
	bool complete;      // nothing is left, and nothing was left out
	bool tree_full;
	bool first_session; // the store had no inputs to replay
	bool has_weights;   // the strategy learned some
	double weights[FEATURES];
	struct buf search;          // what the strategy reports of itself; the caller releases it
	struct cover_totals before; // of the seeds; total 0: this session does not know
	struct campaign_inside *inside;
};

double campaign_now(void); // seconds of a monotonic clock
// Seconds as the budget counts them: of that clock, or, where it is processor time, of a worker's share of that.
double campaign_clock(const struct campaign *c);

// Runs a session of the campaign. The setup must outlive the call only.
int campaign_run(struct campaign *c, const struct campaign_setup *setup, struct err *err);

#endif
