// What the coordinator of campaigns (campaign.c) and that of suites (amplify.c) share.
#ifndef VEER_EXPLORE_CAMPAIGN_INTERNAL_H
#define VEER_EXPLORE_CAMPAIGN_INTERNAL_H

#include "explore/campaign.h"
#include "explore/tree.h"
#include "explore/work.h"

enum {
	BATCH = 128,   // ways of one run that are solved in one job
	RESTARTS = 20, // workers that may die
	COMPARED = 64, // inputs to begin with that are compared with native runs
	HANGS = 20,    // hangs that the oracle sees: each takes him long
};

// Of what no distance leads to: larger than all.
#define SEARCH_DISTANCE FINDING_SEARCHED

struct worker_slot {
	struct worker worker;
	bool works; // on `item` and `candidates`
	struct work_item item;
	struct candidate candidates[BATCH];
	uint32_t n_candidates;
	bool first;                    // of the flips: only the first that has a solution
	uint32_t program;              // that it ran last
	uint32_t since;                // programs that had variants when the worker was started
	struct assignment *assignment; // of a suite: the test that it is at; NULL: none
	struct work_queue oracle;      // and what of it waits for the oracle
	double sent;                   // when its job was
	double search_until;           // until when it stays with the search of its program
};

struct announced {
	struct stored_finding finding; // its texts are those of the verdict
	const struct result_verdict *of;
	int64_t snapshot;
};

struct campaign_inside {
	struct tree tree;
	struct tree edges;      // places and ways that some run took
	struct tree known_bugs; // findings by key: their bugs are known
	struct tree paths;      // that runs took, whole
	struct strategy *strategy;
	struct strategy_setup strategy_setup;
	struct work_queue runs, oracle;
	struct work_queue reruns; // of inputs that an earlier session was done with and that cover something, and seeds
	struct work_queue replays; // of all others of these
	bool replay_next;
	struct work_queue idle;  // likewise, for when there is nothing else to do
	struct tree looked;      // inputs that the oracle has seen
	struct work_queue cares; // kept inputs of which is not known what matters
	struct tree care;        // likewise, by input: asked for or known
	struct worker_slot *slots;
	unsigned n_slots, dead, worker_dirs;        // worker directories: that workers have had
	double started, reported, committed, asked; // asked: for inputs of other tools
	double cpu_before, cpu_looked; // processor time at the start; when it was last looked at, which takes a moment
	bool in_transaction, seeded;
	bool awaits;                 // programs are being built
	struct announced *announced; // findings that are to be announced once they are committed
	size_t n_announced;
	struct campaign_counts stored; // what the store's counters have
	struct buf checked;            // places that checks were asked in, 8 bytes each: each counts once
	struct amplify *amplify;       // of a suite
	struct suite_search *search;   // of a suite that is searched, too; NULL
	char *first_difference;        // from native runs; NULL: none so far
	int64_t first_differing;       // the input that shows it
	bool reported_differing;
	unsigned matching; // first inputs that are to be compared still
};

// What came of an answer.
struct taken {
	int64_t input; // the solution
	bool known;    // which was there before
};

// Stores an input that was not there before, and says so.
int campaign_add_input(struct campaign *c, const struct input *in, struct stored_input *s, bool *ret_known,
                       struct err *err);
int campaign_take_cover(struct campaign *c, const struct result *r, uint32_t *ret_new, struct err *err);
int campaign_take_names(struct campaign *c, const struct result *r, struct err *err);
void campaign_count_run(struct campaign *c, const struct work_item *t, const struct result *r);
bool campaign_needs_oracle(const struct campaign *c, const struct work_item *t, const struct result *r);
int campaign_take_answer(struct campaign *c, const struct work_item *t, const struct candidate *f,
                         const struct result_answer *a, struct taken *ret, struct err *err);
int campaign_take_verdicts(struct campaign *c, struct worker_slot *slot, const struct result *r, struct err *err);
int campaign_finish_input(struct campaign *c, int64_t id, struct err *err);
// Of the search that the item belongs to.
struct strategy *campaign_strategy(struct campaign *c, const struct work_item *t);
// What comes of a job of a search.
int campaign_take_search(struct campaign *c, struct worker_slot *slot, struct result *r, struct err *err);
// The input of the search's job was let go: nothing will come of it.
void campaign_drop(struct campaign *c, struct worker_slot *slot);
// Sends what slot->item and slot->flips say. 1: the input was let go, since the store is full.
int campaign_send(struct campaign *c, struct worker_slot *slot, struct err *err);
int campaign_by_event(const void *x, const void *y); // of flips: so that each question goes on from the one before

bool campaign_is_stopped(const struct campaign *c);
int campaign_wait_for_results(struct campaign *c, struct err *err);
// A worker may die of what it was given. What it was at is not tried again.
int campaign_replace_worker(struct campaign *c, unsigned i, struct err *err);

// --- campaign_end.c -------------------------------------------------------------------------------

// Time is up: runs the oracle on what waits for it, for a bounded time.
int campaign_finish_pending(struct campaign *c, struct err *err);
// Writes down what still waits, for campaign_load_pending of the next session.
int campaign_store_pending(struct campaign *c, struct err *err);
// Of a suite: once programs have their variants.
void campaign_load_pending(struct campaign *c);

// --- campaign_take.c ------------------------------------------------------------------------------

void campaign_want_care(struct campaign *c, int64_t input, int64_t seed, uint64_t us);
bool campaign_wants_care_now(const struct campaign *c, int64_t input);
bool campaign_has_time_for_care(const struct campaign *c);
bool campaign_choose_care(struct campaign *c, struct work_item *ret);
uint32_t campaign_limit_care(const struct campaign *c, const struct work_item *t);
int campaign_take_care(struct campaign *c, const struct work_item *t, const struct result *r, struct err *err);
int campaign_take_run(struct campaign *c, const struct work_item *t, struct result *r, struct err *err);
void campaign_load_checked(struct campaign *c);
void campaign_queue_idle(struct campaign *c, const struct work_item *t, const struct result *r);
// A traced run was compared with the native one; `differs`: what is not the same, NULL: nothing. The share of those
// that differ is told of (campaign.h: `differs`) as soon as it is too large and `tell` is set. Input 0: nothing new.
void campaign_note_compared(struct campaign *c, int64_t input, const char *differs, bool tell);
void campaign_want_match(struct campaign *c, struct work_item *t);
bool campaign_is_other(struct campaign *c, const struct work_item *t, const struct result *r);
bool campaign_take_idle(struct campaign *c, struct work_item *ret);

#endif
