// A campaign: grows inputs from seeds, off the paths of runs that were, until nothing is left or time is up. This is
// the coordinator: it has the store, the execution tree and the strategy; workers do the work.
#ifndef VEER_EXPLORE_CAMPAIGN_H
#define VEER_EXPLORE_CAMPAIGN_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "explore/cover.h"
#include "explore/features.h"
#include "explore/strategy.h"
#include "explore/suite.h"
#include "explore/worker.h"
#include "run/input.h"
#include "store/store.h"

enum { CAMPAIGN_DIFFERS = 5 };

struct campaign_counts {
	uint64_t runs, reruns, queries, sat, unsat, unknown;
	uint64_t expected, diverged;  // runs of solutions that went where they should, and that did not
	uint64_t diverged_unmodelled; // of those, with calls that have no model on their way
	uint64_t crashes, timeouts, oracle_runs, inputs, corpus;
	uint64_t errors, warnings, resources; // findings that are new
	uint64_t checks, checks_unique;       // asked whether they can fail; in how many places
	uint64_t cut, full;                   // runs with more decisions, or nodes, than are looked at
	uint64_t partial;                     // runs that did more than their path says
	uint64_t paths;                       // different ones, of runs that kept all assumptions
	uint64_t us_run, us_read, us_solve, us_oracle, us_care, us_store;
	uint64_t care, care_of;    // bytes of kept inputs: that matter, in all
	uint64_t matched, skipped; // of a suite: tests that run again as they were recorded; what there was no time for
	uint64_t narrowed;   // of a suite: runs that left more than is looked at, done again with fewer symbolic bytes
	uint64_t cared;      // kept inputs of which is known what matters
	uint64_t searched;   // of a suite: runs of the search
	uint64_t with_input; // runs that had input
	uint64_t compared, differing; // inputs whose traced run was compared with the native one, and is another
};

struct campaign;

struct campaign_setup {
	struct store *store; // open; may have an earlier session
	const struct worker_setup *worker;
	const char *worker_dirs; // a folder for the workers' worker directories
	const struct input *seeds;
	size_t n_seeds;
	struct suite *suite; // recorded tests to amplify, instead of seeds and strategy; NULL: none
	struct cover *cover; // what the program has, to begin with nothing of it reached
	bool searches;       // of a suite: beside and after amplification, from all tests
	enum strategy_kind strategy;
	const struct graph *graph; // of the program; NULL: for strategies that do not walk
	const struct graph *(*graph_of)(void *opaque, uint32_t program); // of a suite, likewise
	struct tuning tuning;
	const double *weights; // of `param`
	bool deterministic;    // nothing depends on how long something takes
	double seconds;        // 0: until nothing is left
	double began;          // when the seconds began, by campaign_now; 0: now
	bool cpu;              // they are processor time, of all processes together
	uint64_t runs;         // the same
	unsigned jobs;
	uint64_t random;
	size_t tree_max;                                          // keys
	volatile sig_atomic_t *stop;                              // set from outside: end in good order
	void (*progress)(void *opaque, const struct campaign *c); // about twice a second
	// More than CAMPAIGN_DIFFERS percent of the runs that were compared with native ones so far differ; once.
	// `first`: what differs in the first of them, the input `input`.
	void (*differs)(void *opaque, const struct campaign *c, int64_t input, const char *first);
	// A finding that is new, and in the store for good, with the smallest input that has it.
	// `snapshot`: of the recorded test that it comes from; 0: of none.
	int (*found)(void *opaque, const struct stored_finding *f, const struct verdict *v, const struct input *in,
	             int64_t snapshot, struct err *err);
	// Of a suite, one that an earlier session found, by its key: it is still there; or not, and is about to be
	// lost.
	int (*known)(void *opaque, uint64_t key, bool still, struct err *err);
	// Of a suite whose programs are still being built, otherwise NULL: looks which have their variants since
	// (worker->programs, suite_ready). False: there is nothing to wait for any more.
	bool (*awaits)(void *opaque);
	// Beside another tool, otherwise NULL. `more` says, about once a second, which inputs came since (*ret is the
	// caller's); then a campaign does not end when nothing is left. `kept`: an input of our own covers something
	// new.
	void (*more)(void *opaque, struct input **ret, size_t *ret_n);
	int (*corpus)(void *opaque, const struct campaign *c, const struct input *in, struct err *err);
	void *opaque;
};

struct campaign {
	const struct campaign_setup *setup;
	struct campaign_counts counts;
	double elapsed;     // by the clock that the setup names
	double wall;        // by the one on the wall
	size_t waiting;     // ways that wait
	size_t missed;      // ways that have a solution which did not go there
	double searched;    // of a suite: seconds of workers for the search
	size_t candidates;  // that it has left
	size_t replays;     // inputs of earlier sessions that are to run again, to fill the tree
	size_t unconfirmed; // inputs that the oracle has not seen: there was no time
	size_t uncared;     // kept inputs of which is not known what matters
	bool complete;      // nothing is left, and nothing was left out
	bool tree_full;
	bool first_session; // the store had nothing
	bool has_weights;   // the strategy found some
	double weights[FEATURES];
	struct buf search;          // what the strategy says of itself; the caller releases it
	struct cover_totals before; // of the seeds; total 0: this part does not know
	// What only campaign.c uses.
	struct campaign_inside *inside;
};

double campaign_now(void); // seconds, of a clock that never goes back

int campaign_run(struct campaign *c, const struct campaign_setup *setup, struct err *err);

#endif
