// Which test a worker is at, and for how long.
#include <assert.h>

#include "base/mem.h"
#include "explore/amplify_internal.h"
#include "explore/suite_search.h"

enum { WINDOWS_SHARE = 4 }; // of what is left, at most, when there are windows: more of them may come
enum { EARLY = 64 };        // so many tests, of all programs, are compared before any is analysed,
enum { EARLY_SHARE = 10 };  // within this share of the budget

static const double LEAST_SECONDS = 0.25, MOST_SECONDS = 60; // of a test at a distance

void amplify_end_assignment(struct campaign *c, struct worker_slot *slot)
{
	struct seat *seat = amplify_seat(c, slot);
	struct assignment *v = seat->assignment;
	if (!v)
		return;
	if (v->slow)
		amplify_of(c)->widening += campaign_clock(c) - v->began;
	amplification_free(v->amplification);
	scoping_release(&v->scoping);
	mem_free(v);
	seat->assignment = NULL;
}

static int64_t solution(void *opaque, uint64_t key, bool *ret_done)
{
	struct stored_input s;
	int64_t input = campaign_solution(opaque, key, &s);
	if (input)
		*ret_done = s.state == INPUT_DONE;
	return input;
}

struct amplification *amplify_new_amplification(struct campaign *c, const struct suite_test *t)
{
	struct amplify *a = amplify_of(c);
	const struct amplification_setup setup = {.tree = &c->inside->tree,
	                                          .explored = &a->explored,
	                                          .solution = solution,
	                                          .opaque = c,
	                                          .factor = a->suite->factor};
	return amplification_new(&setup, t->input, suite_distance(t));
}

// --- time ----------------------------------------------------------------------------------------

// What is left of the budget is shared among the tests that are left at this distance.
static double time_for_one(const struct campaign *c)
{
	const struct suite *s = amplify_of(c)->suite;
	double left = (c->setup->seconds - c->elapsed) / (c->setup->cpu ? c->inside->n_slots : 1);
	if (c->setup->seconds <= 0)
		return MOST_SECONDS;
	if (s->distance > 0)
		left *= suite_search_leaves(c);
	double share = left * c->inside->n_slots / (double)(s->left + s->unready + 1);
	if (s->n_windows && share > left / WINDOWS_SHARE)
		share = left / WINDOWS_SHARE;
	return share < LEAST_SECONDS ? LEAST_SECONDS : share > MOST_SECONDS ? MOST_SECONDS : share;
}

// Native runs of 1 ms and traced ones of 1 s are common, so the setup's limit is the least; beyond it the limit follows
// the native time, as far as the test's share of the budget goes: the trace of a run that is ended is analysed as well.
uint32_t amplify_limit_run(const struct campaign *c, const struct suite_test *t)
{
	enum { FACTOR = 50, MOST_MS = 60000 };
	double least = c->setup->worker->milliseconds, share = 500 * time_for_one(c);
	double most = c->setup->seconds > 0 && share < MOST_MS ? share : MOST_MS;
	double ms = t->native_us ? FACTOR * 1e-3 * (double)t->native_us : MOST_MS;
	ms = ms > most ? most : ms;
	return (uint32_t)(ms < least ? least : ms);
}

// Later windows of tests have a share of the time of their own: the end of a large file is analysed while others are at
// larger distances, and does not keep them from it.
static bool has_time_for_slow(const struct campaign *c)
{
	enum { SHARE = 4 };
	const struct amplify *a = amplify_of(c);
	double workers = c->setup->cpu ? 1 : c->inside->n_slots;
	return a->suite->slow && a->widening * SHARE < (c->elapsed + 1) * workers;
}

// --- when a test is past -------------------------------------------------------------------------

// All of its checks were queried, unless something prevented it. A test whose first scope has no symbolic bytes has
// the outcome of its windows.
static void conclude(struct suite_test *t, unsigned distance, bool all)
{
	if (distance || t->why)
		return;
	if (!all && (t->outcome == OUTCOME_NONE || t->outcome == OUTCOME_ANALYSED))
		t->outcome = OUTCOME_CUT_TIME;
	if (all && t->outcome == OUTCOME_NONE)
		t->outcome = OUTCOME_ANALYSED;
	if (t->begun)
		t->outcome = outcome_in_part(t->outcome);
	if (t->of && t->of->outcome == OUTCOME_NO_INPUT)
		t->of->outcome = t->outcome;
	if (t->of && t->begun)
		t->of->outcome = outcome_in_part(t->of->outcome);
}

int amplify_past(struct campaign *c, struct worker_slot *slot, bool all, struct err *err)
{
	struct suite *s = amplify_of(c)->suite;
	const struct assignment *v = amplify_seat(c, slot)->assignment;
	assert(v);
	struct suite_test *t = v->test;
	bool last = v->amplification && amplification_is_last(v->amplification);
	conclude(t, t->of ? suite_distance(t) : s->distance, all);
	suite_past(s, t, all, last);
	amplify_end_assignment(c, slot);
	return suite_store(t->of ? t->of : t, c->setup->store, err) < 0 || scoping_past(c, t, err) < 0 ? -1 : 0;
}

void amplify_lose_test(struct campaign *c, struct worker_slot *slot)
{
	const struct assignment *v = amplify_seat(c, slot)->assignment;
	if (!v)
		return;
	if (v->test->outcome == OUTCOME_NONE)
		v->test->outcome = OUTCOME_FAILED;
	suite_past(amplify_of(c)->suite, v->test, false, false);
	amplify_end_assignment(c, slot);
}

void amplify_give_back(struct campaign *c, struct worker_slot *slot)
{
	const struct assignment *v = amplify_seat(c, slot)->assignment;
	assert(v && v->early);
	suite_give_back(amplify_of(c)->suite, v->test);
	amplify_end_assignment(c, slot);
}

// --- the search from all tests -------------------------------------------------------------------

void amplify_note_tests(struct campaign *c)
{
	const struct amplify *a = amplify_of(c);
	if (a->suite->distance == 0 && c->counts.runs && !a->noted)
		c->before = cover_totals(c->setup->cover);
}

// All tests are checked first. The search begins when that is done, or takes long and a worker has no test left; then
// it takes turns with larger distances, and uses workers that have no test.
bool amplify_may_search(struct campaign *c)
{
	enum { OWN_SECONDS = 2 }; // that tests have for themselves
	struct amplify *a = amplify_of(c);
	const struct suite *s = a->suite;
	if (!a->search || s->unready || (s->distance == 0 && s->left))
		return false;
	for (unsigned i = 0; i < c->inside->n_slots; i++) {
		const struct assignment *v = a->seats[i].assignment;
		if (v && s->distance == 0 && (!v->ran || campaign_clock(c) < v->began + OWN_SECONDS))
			return false;
	}
	amplify_note_tests(c);
	a->noted = true;
	return true;
}

// --- the next test -------------------------------------------------------------------------------

static bool anybody_works(const struct campaign *c)
{
	for (unsigned i = 0; i < c->inside->n_slots; i++)
		if (amplify_of(c)->seats[i].assignment)
			return true;
	return false;
}

// Before any test is analysed, some of all programs are compared with their recordings: whether tracing changes what
// programs do is to be known at once. NULL: none is left to compare, of programs that are ready and within the time.
static struct suite_test *next_early(const struct campaign *c)
{
	const struct amplify *a = amplify_of(c);
	const struct suite *s = a->suite;
	double budget = c->setup->seconds / EARLY_SHARE;
	bool over = budget > 0 && a->compares > 0 && campaign_clock(c) > a->compares + budget;
	for (size_t i = 0; !s->distance && !over && i < s->n; i += s->n / EARLY + 1) {
		struct suite_test *t = &s->v[i];
		if (t->state == TEST_WAITS && !t->matched && !t->unready && !t->late)
			return t;
	}
	return NULL;
}

static bool compares_early(const struct campaign *c)
{
	const struct amplify *a = amplify_of(c);
	for (unsigned i = 0; i < c->inside->n_slots; i++)
		if (a->seats[i].assignment && a->seats[i].assignment->early)
			return true;
	return false;
}

bool amplify_compared_early(const struct campaign *c)
{
	return !compares_early(c) && !next_early(c);
}

static int begin_assignment(struct campaign *c, struct worker_slot *slot, struct suite_test *t, struct err *err)
{
	struct seat *seat = amplify_seat(c, slot);
	assert(!seat->assignment && t->state == TEST_AT);
	struct assignment *v = seat->assignment = mem_zero(sizeof *v);
	v->test = t;
	v->began = campaign_clock(c);
	v->until = v->began + time_for_one(c);
	seat->program = t->program;
	return scoping_begin(c, t, &v->scoping, err) < 0 ? -1 : 1;
}

static int begin_early(struct campaign *c, struct worker_slot *slot, struct suite_test *t, struct err *err)
{
	struct amplify *a = amplify_of(c);
	a->compares = a->compares > 0 ? a->compares : campaign_clock(c);
	suite_take(a->suite, t);
	int r = begin_assignment(c, slot, t, err);
	amplify_seat(c, slot)->assignment->early = true;
	return r;
}

// *ret_slow: it is a slow window.
static struct suite_test *next_test(struct campaign *c, uint32_t program, bool *ret_slow)
{
	struct suite *s = amplify_of(c)->suite;
	struct suite_test *t = has_time_for_slow(c) ? suite_next_slow(s, program) : NULL;
	*ret_slow = t != NULL;
	if (!t)
		t = suite_next(s, program);
	while (!t && !s->done && !anybody_works(c)) {
		amplify_note_tests(c);
		if (!suite_farther(s))
			break;
		t = suite_next(s, program);
	}
	if (!t) { // nobody else needs the time
		t = suite_next_slow(s, program);
		*ret_slow = t != NULL;
	}
	return t;
}

int amplify_begin_test(struct campaign *c, struct worker_slot *slot, struct err *err)
{
	struct seat *seat = amplify_seat(c, slot);
	struct suite_test *early = next_early(c);
	bool slow;
	if (early)
		return begin_early(c, slot, early, err);
	if (compares_early(c))
		return 0;
	struct suite_test *t = next_test(c, seat->program, &slow);
	if (!t)
		return 0;
	int r = begin_assignment(c, slot, t, err);
	seat->assignment->slow = slow;
	if (!amplify_of(c)->suite->distance)
		t->outcome = OUTCOME_NONE;
	if (t->matched)
		seat->assignment->amplification = amplify_new_amplification(c, t);
	return r;
}
