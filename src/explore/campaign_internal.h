// What the coordinator's files and drivers share.
#ifndef VEER_EXPLORE_CAMPAIGN_INTERNAL_H
#define VEER_EXPLORE_CAMPAIGN_INTERNAL_H

#include "explore/campaign.h"
#include "explore/work.h"
#include "path/tree.h"
#include "search/strategy.h"

enum {
	BATCH = 128,   // candidates of one run that are solved in one job
	RESTARTS = 20, // workers that may die in a session
	HANGS = 20,    // hangs that the oracle sees: each takes it long
};

struct worker_slot {
	struct worker worker; // pid 0: none was started yet
	bool works;           // on `item` and `candidates`
	struct work_item item;
	struct candidate candidates[BATCH];
	uint32_t n_candidates;
	bool first;      // only the first candidate that has a solution is wanted
	bool all_effort; // the candidate is not the strategy's: efforts_choose
	uint32_t built;  // programs that had variants when the worker was started
	double sent;     // when its job was
};

// A new finding, from the result that showed it until it is committed and reported.
struct new_bug { // of an input that is to be minimised for it
	int64_t input;
	uint64_t key;
};

struct announced {
	struct stored_finding finding; // its texts are those of the verdict
	const struct result_verdict *of;
	int64_t snapshot;
};

struct campaign_inside {
	void *own;                // the driver's
	struct tree tree;         // the execution tree
	struct tree edges;        // branch edges that some run took
	struct tree known_bugs;   // by key: TREE_PENDING: being minimised, TREE_TAKEN: a finding
	struct tree paths;        // hashes of complete paths
	struct work_queue oracle; // items for the oracle that any worker may take
	struct work_queue idle;   // likewise, when there is nothing else to do
	struct tree oracle_saw;   // inputs that the oracle has seen
	struct work_queue cares;  // corpus inputs whose relevant bytes are not known
	struct tree care;         // by input: TREE_PENDING: wanted, TREE_TAKEN: known
	struct worker_slot *slots;
	unsigned n_slots;
	unsigned dead;        // workers that died
	unsigned worker_dirs; // that workers have had
	double us_all_effort; // went into what efforts_choose chose; so many candidates
	uint64_t all_effort;
	double started, reported, committed;
	double cpu_before, cpu_looked; // processor time at the start; when it was read last, which is slow
	bool in_transaction;
	bool noted; // the store has a list of what waits for the oracle
	struct new_bug *new_bugs;
	size_t n_new_bugs;
	struct announced *announced;
	size_t n_announced;
	struct campaign_counts stored; // what the store's counters have
	struct buf checked;            // keys of checks that were queried, 8 bytes each
	char *first_difference;        // from a native run; NULL: none so far
	int64_t first_differing;       // the input that shows it
	bool reported_differing;
};

static inline unsigned campaign_slot_number(const struct campaign *c, const struct worker_slot *slot)
{
	return (unsigned)(slot - c->inside->slots);
}

// --- campaign.c ----------------------------------------------------------------------------------

bool campaign_is_stopped(const struct campaign *c);
// Nothing was left out so far: no query is unknown, no solution diverged, no run did more than its path shows.
bool campaign_is_whole(const struct campaign *c);

// --- campaign_workers.c --------------------------------------------------------------------------

// Lets the driver choose for an idle worker, and sends the job. slot->works: it has one.
int campaign_give_job(struct campaign *c, struct worker_slot *slot, struct err *err);
// Sends slot->item and slot->candidates. 1: the store has evicted the input, so nothing is sent.
int campaign_send(struct campaign *c, struct worker_slot *slot, struct err *err);
// Takes the results that are there, or come within a quarter of a second.
int campaign_wait_for_results(struct campaign *c, struct err *err);
// Starts another worker in place of one that died of its job, or could not be given one. The job is not tried again.
int campaign_replace_worker(struct campaign *c, struct worker_slot *slot, struct err *err);
// Nobody will solve the slot's candidates.
void campaign_give_up_candidates(struct campaign *c, const struct worker_slot *slot);
// Sorts the slot's candidates by event, so that each query extends the one before.
void campaign_sort_candidates(struct worker_slot *slot);
void campaign_count_unfinished(struct campaign *c); // once, at the end: the time that jobs in progress took
void campaign_stop_workers(struct campaign *c);

// --- campaign_store.c ----------------------------------------------------------------------------

int campaign_begin(struct campaign *c, struct err *err);         // nothing to do inside a transaction
int campaign_commit(struct campaign *c, struct err *err);        // nothing to do outside of one
int campaign_commit_midway(struct campaign *c, struct err *err); // and what waits for the oracle is noted
// Stores an input; *ret_known: it was there before.
int campaign_add_input(struct campaign *c, const struct input *in, struct stored_input *s, bool *ret_known,
                       struct err *err);
// 1: the store has evicted its bytes; then *ret and *ret_input are not filled in.
int campaign_fetch_input(struct campaign *c, int64_t id, struct stored_input *ret, struct input *ret_input,
                         struct err *err);
int campaign_finish_input(struct campaign *c, int64_t id, struct err *err); // nothing is left to do with it
int64_t campaign_seed_of(struct campaign *c, int64_t input);                // the ancestor that has no parent
// The solution of a branch edge, from the store; 0: there is none that can run. *ret: without data.
int64_t campaign_solution(struct campaign *c, uint64_t key, struct stored_input *ret);

// --- campaign_results.c --------------------------------------------------------------------------

int campaign_take_cover(struct campaign *c, const struct result *r, uint32_t *ret_new, struct err *err);
int campaign_take_names(struct campaign *c, const struct result *r, struct err *err);
void campaign_count_run(struct campaign *c, const struct work_item *t, const struct result *r);
// Whether the oracle has to see the run, whatever it covered.
bool campaign_needs_oracle(const struct campaign *c, const struct work_item *t, const struct result *r);
// Enters an answer into tree and store. *ret_input: the solution; 0: there is none. *ret_known: it was in the store.
int campaign_take_answer(struct campaign *c, const struct work_item *t, const struct candidate *f,
                         const struct result_answer *a, int64_t *ret_input, bool *ret_known, struct err *err);
void campaign_load_checked(struct campaign *c);
// A traced run was compared with the native one. `differs`: what differs; NULL: nothing. Input 0: none was, but the
// share may be reported now. The share of those that differ is reported (campaign.h) once it is too large, if `report`.
void campaign_note_compared(struct campaign *c, int64_t input, const char *differs, bool report);

// --- campaign_findings.c -------------------------------------------------------------------------

// Enters what the oracle saw. An input that shows a new bug goes to `again`, to be minimised: then there is a finding.
int campaign_take_verdicts(struct campaign *c, struct worker_slot *slot, const struct result *r,
                           struct work_queue *again, struct err *err);
// The bugs of earlier sessions' findings are known.
int campaign_load_findings(struct campaign *c, struct err *err);
// Reports the findings that were added since, after a commit.
int campaign_announce(struct campaign *c, struct err *err);
// An input with a new path is for the oracle when there is nothing else to do: a path can have a bug where no check is,
// nothing crashes and no coverage is new, such as an access at a fixed offset of a block that is smaller this time.
void campaign_queue_idle(struct campaign *c, const struct work_item *t, const struct result *r);
bool campaign_take_idle(struct campaign *c, struct work_item *ret);

// --- campaign_care.c -----------------------------------------------------------------------------

void campaign_want_care(struct campaign *c, int64_t input, int64_t seed, uint64_t us);
bool campaign_wants_care(const struct campaign *c, int64_t input);
bool campaign_wants_care_now(const struct campaign *c, int64_t input); // along with another job of the input
bool campaign_has_time_for_care(const struct campaign *c);             // for a run of its own
bool campaign_choose_care(struct campaign *c, struct work_item *ret);
uint32_t campaign_limit_care(const struct campaign *c, const struct work_item *t); // microseconds
int campaign_take_care(struct campaign *c, const struct work_item *t, const struct result *r, struct err *err);

// --- campaign_end.c ------------------------------------------------------------------------------

// The budget is used up: the oracle sees what waits for it, for a bounded time.
int campaign_finish_pending(struct campaign *c, struct err *err);
// Stores what still waits for the oracle, for campaign_load_pending of the next session.
int campaign_store_pending(struct campaign *c, struct err *err);
// The same while the session goes on, for drivers that list it: a session that is killed loses nothing.
int campaign_note_pending(struct campaign *c, struct err *err);
void campaign_load_pending(struct campaign *c);

#endif
