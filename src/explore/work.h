// Work items: what is to be done with one input, and queues of them in order of arrival.
#ifndef VEER_EXPLORE_WORK_H
#define VEER_EXPLORE_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Which candidates to solve is not part of an item: the driver chooses these when it hands the item to a worker.
struct work_item {
	int64_t input, seed;   // ids in the store; input 0: nothing to do; seed 0: not known yet
	uint32_t flags;        // enum job_flags
	uint32_t milliseconds; // limit for solving; 0: none
	uint32_t run_ms;       // limit for one run; 0: that of the worker's setup
	uint64_t round;        // JOB_VARY: which variations of the input; 0: the first ones
	uint64_t expect;       // key of the branch edge that the run should execute; 0: none
	bool violating;        // the solver made the input to violate a check
	bool again;            // an earlier session ran the input
	uint32_t program;      // index into the workers' setup
	int64_t snapshot;      // environment snapshot in the store; 0: none
	uint32_t distance;     // from a recorded test, of a finding of this input
	uint32_t depth;        // from the start of the run, likewise
	uint64_t us;           // duration of a run of the input, for JOB_CARE
	uint64_t known;        // key of an earlier session's finding to reproduce; 0: none
	bool gone;             // that finding was not reproduced by a later session
	uint32_t fragment;     // progressive symbolic execution: the number of the fragment that it belongs to
	uint32_t entry;        // JOB_MUTATE: of mutation.h
	bool first;            // before what waits already
	bool search;           // amplification: the item belongs to the search from all tests
	struct work_item *next;
};

struct work_queue {
	struct work_item *first, **last;
	size_t n;
};

// Appends a copy; puts it in front of all others when it is to be first.
void work_queue_add(struct work_queue *q, const struct work_item *item);
// Removes the oldest item. False: the queue is empty, and *ret is as it was.
bool work_queue_take(struct work_queue *q, struct work_item *ret);
void work_queue_clear(struct work_queue *q);

#endif
