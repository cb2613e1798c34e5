// What the files of the amplification driver share.
#ifndef VEER_EXPLORE_AMPLIFY_INTERNAL_H
#define VEER_EXPLORE_AMPLIFY_INTERNAL_H

#include "explore/amplification.h"
#include "explore/amplify.h"
#include "explore/amplify_scope.h"
#include "explore/driver.h"
#include "explore/searcher.h"

// A test that a worker is at.
struct assignment {
	struct suite_test *test;
	struct amplification *amplification; // NULL: the run was not compared with the recording yet
	double began;
	double until;           // its share of the time
	bool cut;               // that is used up
	bool slow;              // a slow window (suite.h)
	struct scoping scoping; // what is symbolic
	bool ran;               // the path of the recorded input is known
	bool early;             // the test is only compared, and waits again then
};

// What a worker's slot is to amplification.
struct seat {
	struct assignment *assignment; // NULL: the worker is at no test
	struct work_queue oracle;      // inputs of its test for the oracle
	uint32_t program;              // that it ran last
	double search_until;           // it stays with the search of that program until then
};

struct amplify {
	const struct amplify_setup *setup;
	struct suite *suite;
	struct suite_search *search; // NULL: only amplification
	struct seat *seats;          // by number of slot
	bool awaits;                 // programs are being built
	struct tree explored;        // see amplification.h
	struct tree pairs;           // pairs of consecutive branch edges on paths of tests
	double widening;             // seconds of workers at slow windows
	bool noted;                  // c->before is what the tests cover by themselves
	double compares;             // since when tests are compared early; 0: not yet
};

static inline struct amplify *amplify_of(const struct campaign *c)
{
	return c->inside->own;
}

static inline struct seat *amplify_seat(const struct campaign *c, const struct worker_slot *slot)
{
	return &amplify_of(c)->seats[campaign_slot_number(c, slot)];
}

// --- amplify_tests.c: which test a worker is at --------------------------------------------------

enum { EARLY_MS = 2000 }; // limit of a run that is compared early

// Assigns the next test, at this distance or a larger one: 1. 0: none is left, or others must finish theirs first.
int amplify_begin_test(struct campaign *c, struct worker_slot *slot, struct err *err);
// The worker's test is past at its distance; `all`: nothing was left out.
int amplify_past(struct campaign *c, struct worker_slot *slot, bool all, struct err *err);
// The worker died of its test.
void amplify_lose_test(struct campaign *c, struct worker_slot *slot);
// A test that was compared early waits again.
void amplify_give_back(struct campaign *c, struct worker_slot *slot);
void amplify_end_assignment(struct campaign *c, struct worker_slot *slot);
struct amplification *amplify_new_amplification(struct campaign *c, const struct suite_test *t);
// All tests that are to be compared before any is analysed are compared, or there is no time for more.
bool amplify_compared_early(const struct campaign *c);
// What a run of the test may take.
uint32_t amplify_limit_run(const struct campaign *c, const struct suite_test *t);
// Whether the search from all tests may run now.
bool amplify_may_search(struct campaign *c);
// At distance 0 only tests run, until the search begins: what is covered is what the tests cover.
void amplify_note_tests(struct campaign *c);

// --- amplify_known.c: findings of earlier sessions -----------------------------------------------

// Reports those that need no run, before programs are built; queues the others for the oracle, after that.
int amplify_load_known(struct campaign *c, bool built, struct err *err);
// The result of reproducing one.
int amplify_take_known(struct campaign *c, const struct work_item *t, const struct result *r, struct err *err);

// --- amplify_take.c: results ---------------------------------------------------------------------

int amplify_take(struct campaign *c, struct worker_slot *slot, struct result *r, struct err *err);

#endif
