#include "explore/amplify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "explore/amplification.h"
#include "explore/amplify_target.h"
#include "explore/suite.h"
#include "explore/suite_search.h"

// A worker at a test.
struct assignment {
	struct suite_test *test;
	struct amplification *amplification; // NULL: it is not known yet whether the program does as it was recorded
	double until;                        // its share of the time; 0: no limit
	bool cut;                            // that is over
	double began;
	bool slow;                  // it waited until there was time for it
	struct targeting targeting; // what is symbolic
	bool ran;                   // the test's own path was read
	bool early;                 // it is only compared, and waits again then
};

struct amplify {
	struct tree explored; // see amplification.h
	double widening;      // seconds at slow windows
	struct tree pairs;    // sides of branches, each with that before it, on paths of tests
	bool noted;           // what tests cover by themselves
	double compares;      // since when tests are compared early; 0: not yet
};

enum { WINDOWS_SHARE = 4 }; // of what is left, at most, when there are windows: more of them may come
enum { EARLY = 64 };        // so many tests, of all programs, are compared before any is analysed,
enum { EARLY_MS = 2000 };   // if that takes them no longer, and all of them a share of the budget
enum { EARLY_SHARE = 10 };

static const double LEAST_SECONDS = 0.25, MOST_SECONDS = 60; // of a test at a distance

void amplify_init(struct campaign *c)
{
	struct amplify *a = mem_zero(sizeof *a);
	tree_init(&a->explored, (size_t)1 << 23);
	tree_init(&a->pairs, (size_t)1 << 22);
	c->inside->amplify = a;
	c->inside->search = suite_search_new(c);
	for (size_t i = 0; i < c->setup->suite->n; i++) // by an earlier session
		c->counts.compared += c->setup->suite->v[i].matched;
	suite_start(c->setup->suite);
}

static void end_assignment(struct campaign *c, struct worker_slot *slot)
{
	if (slot->assignment) {
		if (slot->assignment->slow)
			c->inside->amplify->widening += campaign_now() - slot->assignment->began;
		amplification_free(slot->assignment->amplification);
		targeting_release(&slot->assignment->targeting);
	}
	mem_free(slot->assignment);
	slot->assignment = NULL;
}

void amplify_release(struct campaign *c)
{
	struct amplify *a = c->inside->amplify;
	for (unsigned i = 0; i < c->inside->n_slots; i++)
		end_assignment(c, &c->inside->slots[i]);
	suite_search_free(c->inside->search);
	tree_release(&a->explored);
	tree_release(&a->pairs);
	mem_free(a);
}

size_t amplify_waiting(const struct campaign *c)
{
	size_t n = c->setup->suite->left + c->setup->suite->unready;
	for (unsigned i = 0; i < c->inside->n_slots; i++)
		n += c->inside->slots[i].assignment != NULL;
	return n;
}

// --- what visits ask for --------------------------------------------------------------------------

static int64_t solution(void *opaque, uint64_t key, bool *ret_done)
{
	struct campaign *c = opaque;
	struct stored_flip f;
	struct stored_input s;
	struct err err;
	if (!store_get_flip(c->setup->store, key, &f) || f.answer != FLIP_SAT || !f.input ||
	    store_get_input(c->setup->store, f.input, &s, &err) < 0)
		return 0;
	bool has_data = s.data.len > 0;
	*ret_done = s.state == INPUT_DONE;
	stored_input_release(&s);
	return has_data ? f.input : 0;
}

static struct amplification *new_amplification(struct campaign *c, const struct suite_test *t)
{
	const struct amplification_setup setup = {.tree = &c->inside->tree,
	                                          .explored = &c->inside->amplify->explored,
	                                          .solution = solution,
	                                          .opaque = c,
	                                          .factor = c->setup->suite->factor};
	return amplification_new(&setup, t->input, suite_distance(t));
}

// --- tests ----------------------------------------------------------------------------------------

// What is left of the budget is shared among those that are left at this distance.
static double time_for_one(const struct campaign *c)
{
	double left = c->setup->seconds - c->elapsed, share;
	if (c->setup->seconds <= 0)
		return MOST_SECONDS;
	if (c->setup->suite->distance > 0)
		left *= suite_search_leaves(c);
	share = left * c->inside->n_slots / (double)(c->setup->suite->left + c->setup->suite->unready + 1);
	if (c->setup->suite->n_windows && share > left / WINDOWS_SHARE)
		share = left / WINDOWS_SHARE;
	return share < LEAST_SECONDS ? LEAST_SECONDS : share > MOST_SECONDS ? MOST_SECONDS : share;
}

// All of its checks were asked, unless something was in the way. A test whose first target has no symbolic bytes is
// what its windows are.
static void conclude(struct suite_test *t, unsigned distance, bool all)
{
	if (distance || t->why)
		return;
	if (!all && (t->outcome == OUTCOME_NONE || t->outcome == OUTCOME_ANALYSED))
		t->outcome = OUTCOME_CUT_TIME;
	if (all && t->outcome == OUTCOME_NONE)
		t->outcome = OUTCOME_ANALYSED;
	if (t->of && t->of->outcome == OUTCOME_NO_INPUT)
		t->of->outcome = t->outcome;
}

static int past(struct campaign *c, struct worker_slot *slot, bool all, struct err *err)
{
	struct suite_test *t = slot->assignment->test;
	bool last = slot->assignment->amplification && amplification_is_last(slot->assignment->amplification);
	conclude(t, t->of ? suite_distance(t) : c->setup->suite->distance, all);
	suite_past(c->setup->suite, t, all, last);
	end_assignment(c, slot);
	return suite_store(t->of ? t->of : t, c->setup->store, err) < 0 || targeting_past(c, t, err) < 0 ? -1 : 0;
}

void amplify_lost(struct campaign *c, struct worker_slot *slot)
{
	if (!slot->assignment)
		return;
	struct suite_test *t = slot->assignment->test;
	if (t->outcome == OUTCOME_NONE)
		t->outcome = OUTCOME_FAILED;
	suite_past(c->setup->suite, t, false, false);
	end_assignment(c, slot);
}

static bool anybody_works(const struct campaign *c)
{
	for (unsigned i = 0; i < c->inside->n_slots; i++)
		if (c->inside->slots[i].assignment)
			return true;
	return false;
}

// At distance 0 nothing runs but the tests, until the search begins.
static void note_tests(struct campaign *c)
{
	if (c->setup->suite->distance == 0 && c->counts.runs && !c->inside->amplify->noted)
		c->before = cover_totals(c->setup->cover);
}

// All tests are checked first. The search begins when that is done, or takes long and a worker has no test left; then
// it takes turns with larger distances, and has what workers would otherwise wait in.
static bool may_search(struct campaign *c)
{
	enum { OWN_SECONDS = 2 }; // that tests have for themselves
	const struct suite *s = c->setup->suite;
	if (!c->inside->search || s->unready || (s->distance == 0 && s->left))
		return false;
	for (unsigned i = 0; i < c->inside->n_slots; i++) {
		const struct assignment *v = c->inside->slots[i].assignment;
		if (v && s->distance == 0 && (!v->ran || campaign_now() < v->began + OWN_SECONDS))
			return false;
	}
	note_tests(c);
	c->inside->amplify->noted = true;
	return true;
}

bool amplify_is_complete(const struct campaign *c)
{
	const struct suite *s = c->setup->suite;
	bool cut = c->counts.skipped > 0;
	for (size_t i = 0; i < s->n; i++)
		cut |= s->v[i].cut;
	return c->inside->search && s->done && !s->unready && !s->n_windows && !cut;
}

void amplify_ends(struct campaign *c)
{
	note_tests(c);
}

// Windows but for the first of a test have a share of the time of their own: the end of a large file has its turn while
// others are at larger distances, and does not keep them from it.
static bool has_time_for_slow(const struct campaign *c)
{
	enum { SHARE = 4 };
	return c->setup->suite->slow &&
	       c->inside->amplify->widening * SHARE < (c->elapsed + 1) * (double)c->inside->n_slots;
}

// Before any test is analysed, some of all programs are compared: whether tracing changes what programs do is to be
// known at once. NULL: that is done, as far as programs are ready and time was, or others are still at it.
static struct suite_test *next_early(const struct campaign *c)
{
	const struct suite *s = c->setup->suite;
	double since = c->inside->amplify->compares;
	bool over = c->setup->seconds > 0 && since > 0 && campaign_now() > since + c->setup->seconds / EARLY_SHARE;
	for (size_t i = 0; !s->distance && !over && i < s->n; i += s->n / EARLY + 1) {
		struct suite_test *t = &s->v[i];
		if (t->state == TEST_WAITS && !t->matched && !t->unready && !t->late)
			return t;
	}
	return NULL;
}

static bool compares_early(const struct campaign *c)
{
	for (unsigned i = 0; i < c->inside->n_slots; i++)
		if (c->inside->slots[i].assignment && c->inside->slots[i].assignment->early)
			return true;
	return false;
}

static int begin_assignment(struct campaign *c, struct worker_slot *slot, struct suite_test *t, struct err *err)
{
	slot->assignment = mem_zero(sizeof *slot->assignment);
	slot->assignment->test = t;
	slot->assignment->began = campaign_now();
	slot->assignment->until = slot->assignment->began + time_for_one(c);
	slot->program = t->program;
	return targeting_begin(c, t, &slot->assignment->targeting, err) < 0 ? -1 : 1;
}

// The next test, at this distance or a larger one. 0: none is left, or others must end theirs first.
static int begin_test(struct campaign *c, struct worker_slot *slot, struct err *err)
{
	struct suite *s = c->setup->suite;
	struct suite_test *early = next_early(c);
	if (early) {
		struct amplify *a = c->inside->amplify;
		a->compares = a->compares > 0 ? a->compares : campaign_now();
		suite_take(s, early);
		int r = begin_assignment(c, slot, early, err);
		slot->assignment->early = true;
		return r;
	}
	if (compares_early(c))
		return 0;
	struct suite_test *t = has_time_for_slow(c) ? suite_next_slow(s, slot->program) : NULL;
	bool slow = t != NULL;
	if (!t)
		t = suite_next(s, slot->program);
	while (!t && !s->done && !anybody_works(c)) {
		note_tests(c);
		if (!suite_farther(s))
			break;
		t = suite_next(s, slot->program);
	}
	if (!t) { // nobody else needs the time
		t = suite_next_slow(s, slot->program);
		slow = t != NULL;
	}
	if (!t)
		return 0;
	int r = begin_assignment(c, slot, t, err);
	slot->assignment->slow = slow;
	if (!s->distance)
		t->outcome = OUTCOME_NONE;
	if (t->matched)
		slot->assignment->amplification = new_amplification(c, t);
	return r;
}

int amplify_fill_job(struct campaign *c, const struct worker_slot *slot, struct job *j, struct err *err)
{
	const struct targeting *t = slot->assignment ? &slot->assignment->targeting : NULL;
	if (slot->item.search && suite_search_targeting(c, &slot->item, &t, err) < 0)
		return -1;
	if (!t)
		return 0;
	buf_add(&j->windows, t->windows.data, t->windows.len);
	j->target = t->key;
	return 0;
}

// --- what was found before ------------------------------------------------------------------------

static bool has_snapshot(const struct suite *s, int64_t snapshot)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].snapshot == snapshot)
			return true;
	return false;
}

struct before {
	struct campaign *c;
	struct work_item *v;
	size_t n;
	bool gone, built; // built: of those whose programs must say
	struct err *err;
};

// A test that is as it was, of a program that is, fails as it did. Otherwise the program of today says, in the place
// that the test had then. Without a program nothing can: it is not there, until its test is again.
static int take_known(void *opaque, const struct stored_finding *f)
{
	struct before *k = opaque;
	const struct worker_setup *w = k->c->setup->worker;
	struct work_item t = {.input = f->input,
	                      .seed = f->seed,
	                      .flags = JOB_ORACLE,
	                      .distance = f->distance,
	                      .depth = f->depth,
	                      .known = f->key,
	                      .gone = k->gone};
	struct stored_input s;
	if (store_get_input(k->c->setup->store, f->input, &s, k->err) < 0)
		return -1;
	t.snapshot = s.snapshot;
	bool has_data = s.data.len > 0;
	stored_input_release(&s);
	if (has_snapshot(k->c->setup->suite, t.snapshot) == k->built)
		return 0;
	while (t.program < w->n_programs &&
	       (!w->programs[t.program].builds || strcmp(w->programs[t.program].path, f->program) != 0))
		t.program++;
	k->v = mem_resize(k->v, (k->n + 1) * sizeof *k->v);
	if (!k->built)
		t.flags = 0; // nothing to do
	else if (!has_data || t.program == w->n_programs)
		t.input = 0; // nothing that could say
	k->v[k->n++] = t;
	return 0;
}

static int report_known(struct campaign *c, const struct work_item *t, bool still, struct err *err)
{
	if (still)
		tree_set(&c->inside->known_bugs, t->known, TREE_TAKEN);
	if (!still && t->gone)
		return 0;
	if (still && t->gone && store_set_gone(c->setup->store, t->known, false, err) < 0)
		return -1;
	if (c->setup->known && c->setup->known(c->setup->opaque, t->known, still, err) < 0)
		return -1;
	return still ? 0 : store_set_gone(c->setup->store, t->known, true, err);
}

static int load_known(struct campaign *c, bool built, struct err *err)
{
	struct before k = {.c = c, .built = built, .err = err};
	int r = store_each_finding(c->setup->store, take_known, &k, err);
	k.gone = true;
	if (r == 0)
		r = store_each_gone(c->setup->store, take_known, &k, err);
	for (size_t i = 0; i < k.n && r == 0; i++) {
		if (k.v[i].flags && k.v[i].input)
			work_queue_add(&c->inside->oracle, &k.v[i]);
		else
			r = report_known(c, &k.v[i], k.v[i].flags == 0, err);
	}
	mem_free(k.v);
	return r;
}

int amplify_load(struct campaign *c, struct err *err)
{
	if (load_known(c, false, err) < 0)
		return -1;
	return c->inside->awaits ? 0 : amplify_built(c, err);
}

int amplify_built(struct campaign *c, struct err *err)
{
	if (load_known(c, true, err) < 0)
		return -1;
	campaign_load_pending(c);
	return 0;
}

static int take_known_finding(struct campaign *c, struct worker_slot *slot, const struct result *r, struct err *err)
{
	bool still = false;
	for (uint32_t i = 0; i < r->n_verdicts; i++)
		still |= r->verdicts[i].verdict.key == slot->item.known;
	return report_known(c, &slot->item, still, err);
}

// --- giving ---------------------------------------------------------------------------------------

// What a run of the test may take. Native runs of 1 ms and traced ones of 1 s are common, so that is the least; beyond
// it follows the native time, as far as the test's share of the budget goes: what a run that is ended has left in its
// trace is analysed as well.
static uint32_t limit_run(const struct campaign *c, const struct suite_test *t)
{
	enum { FACTOR = 50, MOST_MS = 60000 };
	double least = c->setup->worker->milliseconds, share = 500 * time_for_one(c);
	double most = c->setup->seconds > 0 && share < MOST_MS ? share : MOST_MS;
	double ms = t->native_us ? FACTOR * 1e-3 * (double)t->native_us : MOST_MS;
	ms = ms > most ? most : ms;
	return (uint32_t)(ms < least ? least : ms);
}

static void fill_item(struct campaign *c, struct worker_slot *slot, const struct amplification_action *a)
{
	const struct suite_test *t = slot->assignment->test;
	double left = slot->assignment->until - campaign_now();
	slot->item = (struct work_item){.input = a->input,
	                                .seed = t->input,
	                                .program = t->program,
	                                .snapshot = t->snapshot,
	                                .expect = a->expect,
	                                .run_ms = limit_run(c, t),
	                                .again = a->known,
	                                .distance = suite_distance(t),
	                                .depth = a->depth};
	switch (a->act) {
	case AMPLIFY_RUN:
		slot->item.flags = JOB_PATH | (a->expect ? JOB_AFTER : JOB_ALL) | (a->known ? 0u : JOB_ORACLE);
		break;
	case AMPLIFY_CONFIRM:
		slot->item.flags = JOB_ORACLE;
		slot->item.violating = true;
		break;
	case AMPLIFY_SOLVE:
		slot->item.milliseconds = left > 0.05 ? (uint32_t)(1000 * left) : 50;
		slot->n_candidates = a->n_candidates;
		memcpy(slot->candidates, a->candidates, a->n_candidates * sizeof *a->candidates);
		qsort(slot->candidates, slot->n_candidates, sizeof *slot->candidates, campaign_by_event);
		break;
	case AMPLIFY_DONE: break;
	}
	if (c->counts.timeouts > HANGS)
		slot->item.flags |= JOB_QUICK;
}

// No test is left for it.
static int give_rest(struct campaign *c, struct worker_slot *slot, struct err *err)
{
	int r = may_search(c) ? suite_search_give(c, slot, err) : 0;
	while (r == 0 && !slot->works && c->inside->search && campaign_take_idle(c, &slot->item)) {
		r = campaign_send(c, slot, err);
		r = r > 0 ? 0 : r;
	}
	return r;
}

int amplify_give(struct campaign *c, struct worker_slot *slot, struct err *err)
{
	for (;;) {
		struct amplification_action a;
		slot->n_candidates = 0;
		if (work_queue_take(&slot->oracle, &slot->item) ||
		    (!slot->assignment && work_queue_take(&c->inside->oracle, &slot->item))) {
			int r = campaign_send(c, slot, err);
			if (r <= 0)
				return r;
			continue;
		}
		bool searches = !slot->assignment && may_search(c);
		if (searches && (campaign_now() < slot->search_until || suite_search_is_next(c))) {
			int r = suite_search_give(c, slot, err);
			if (r < 0 || slot->works)
				return r;
		}
		int begun = slot->assignment ? 1 : begin_test(c, slot, err);
		if (begun <= 0)
			return begun < 0 ? -1 : give_rest(c, slot, err);
		if (!slot->assignment->amplification) {
			a = (struct amplification_action){.input = slot->assignment->test->input};
			fill_item(c, slot, &a);
			slot->item.flags = JOB_MATCH;
			if (slot->assignment->early) {
				slot->item.flags |= JOB_QUICK;
				slot->item.run_ms = EARLY_MS;
			}
			int r = campaign_send(c, slot, err);
			if (r <= 0)
				return r;
			if (past(c, slot, false, err) < 0) // its input was let go
				return -1;
			continue;
		}
		amplification_next(slot->assignment->amplification, BATCH, &a);
		// What solutions cost is spent: they are judged, however late it is.
		if (a.act != AMPLIFY_CONFIRM && a.act != AMPLIFY_DONE && campaign_now() > slot->assignment->until) {
			c->counts.skipped += amplification_cut(slot->assignment->amplification);
			slot->assignment->cut = true;
			continue;
		}
		if (a.act != AMPLIFY_DONE) {
			fill_item(c, slot, &a);
			int r = campaign_send(c, slot, err);
			if (r <= 0)
				return r;
			if (a.act == AMPLIFY_RUN)
				amplification_ran(slot->assignment->amplification, NULL, 0, NULL);
			if (a.act == AMPLIFY_SOLVE && past(c, slot, false, err) < 0)
				return -1;
			continue;
		}
		if (past(c, slot, !slot->assignment->cut, err) < 0)
			return -1;
	}
}

bool amplify_take_pending(struct campaign *c, struct worker_slot *slot, struct work_item *ret)
{
	struct amplification_action a = {.act = AMPLIFY_DONE};
	struct work_item at = slot->item; // which may be under way
	if (slot->assignment && slot->assignment->amplification) {
		c->counts.skipped += amplification_cut(slot->assignment->amplification);
		amplification_next(slot->assignment->amplification, BATCH, &a);
	}
	if (a.act != AMPLIFY_CONFIRM) {
		end_assignment(c, slot);
		return false;
	}
	fill_item(c, slot, &a);
	*ret = slot->item;
	slot->item = at;
	return true;
}

int amplify_give_pending(struct campaign *c, struct worker_slot *slot, struct err *err)
{
	struct work_item t;
	while (!slot->works && amplify_take_pending(c, slot, &t)) {
		slot->item = t;
		if (campaign_send(c, slot, err) < 0)
			return -1;
	}
	return 0;
}

// --- taking ---------------------------------------------------------------------------------------

// A test was compared early: it waits again.
static void wait_again(struct campaign *c, struct worker_slot *slot)
{
	suite_give_back(c->setup->suite, slot->assignment->test);
	end_assignment(c, slot);
}

static int take_comparison(struct campaign *c, struct worker_slot *slot, const struct result *r, struct err *err)
{
	struct assignment *v = slot->assignment;
	struct suite_test *t = v->test;
	if (v->early && r->outcome == OUTCOME_CUT_TIME) { // it needs more time than is given to it here
		suite_delay(c->setup->suite, t);
		wait_again(c, slot);
		return 0;
	}
	t->matched = !r->differs;
	t->native_us = (int64_t)r->native_us;
	t->outcome = r->outcome;
	if (!r->differs || r->outcome == OUTCOME_DIFFERS)
		campaign_note_compared(c, t->input, r->differs, !v->early);
	if (r->differs) {
		mem_free(t->why);
		t->why = mem_strdup(r->differs);
		return past(c, slot, true, err);
	}
	c->counts.matched++;
	if (v->early)
		wait_again(c, slot);
	else
		v->amplification = new_amplification(c, t);
	return 0;
}

static int take_match(struct campaign *c, struct worker_slot *slot, const struct result *r, struct err *err)
{
	bool early = slot->assignment->early;
	if (take_comparison(c, slot, r, err) < 0)
		return -1;
	if (early && !compares_early(c) && !next_early(c))
		campaign_note_compared(c, 0, NULL, true);
	return 0;
}

// What of the test's own run could be looked at.
static void classify_run(struct suite_test *t, const struct result *r)
{
	if (r->run.end == RUN_TIMEOUT)
		t->outcome = OUTCOME_CUT_TIME;
	else if (r->run.end == RUN_MEMORY || r->run.end == RUN_OUTPUT)
		t->outcome = OUTCOME_CUT_SIZE;
	else if (r->full || r->cut || r->damaged)
		t->outcome = OUTCOME_CUT_TRACE;
	else if (r->no_input)
		t->outcome = OUTCOME_NO_INPUT;
}

// Does the test's path show anything that those before it did not?
static bool adds_something(struct campaign *c, const struct result *r)
{
	uint64_t before = 0;
	bool adds = false;
	for (uint32_t i = 0; i < r->n_reported; i++) {
		const struct decision *d = &r->reported[i].decision;
		uint64_t pair = (before ^ d->edge * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
		adds |= tree_set(&c->inside->amplify->pairs, pair, TREE_TAKEN) == TREE_NEW;
		before = d->check ? before : d->edge;
	}
	return adds;
}

static int take_run(struct campaign *c, struct worker_slot *slot, const struct result *r, struct err *err)
{
	const struct work_item *t = &slot->item;
	struct assignment *v = slot->assignment;
	struct stored_input s;
	uint32_t covered;
	bool narrowed = false;
	if (!t->expect && !t->distance && targeting_ran(c, v->test, r, &narrowed, err) < 0)
		return -1;
	if (narrowed)
		c->counts.narrowed++;
	else
		campaign_count_run(c, t, r);
	if (campaign_take_cover(c, r, &covered, err) < 0 || campaign_take_names(c, r, err) < 0)
		return -1;
	if (narrowed) {
		end_assignment(c, slot);
		return 0;
	}
	for (uint32_t i = 0; i < r->n_reported; i++) {
		tree_set(&c->inside->tree, r->reported[i].decision.key, TREE_TAKEN);
		tree_set(&c->inside->edges, r->reported[i].decision.edge, TREE_TAKEN);
	}
	if (!t->expect && !t->distance)
		classify_run(v->test, r);
	if (!t->expect && !t->distance && !adds_something(c, r))
		v->test->dropped = true;
	if (!t->expect && !t->distance && targeting_next(c, v->test, err) < 0)
		return -1;
	amplification_ran(v->amplification, r->reported, r->n_reported, r->alternatives);
	if (!t->expect && !v->ran && !v->test->number)
		suite_search_seed(c, v->test);
	v->ran = true;
	if (covered && t->expect && !v->test->number) {
		const struct work_item run = {.input = t->input,
		                              .seed = t->seed,
		                              .program = t->program,
		                              .snapshot = t->snapshot,
		                              .again = true};
		suite_search_enter(c, &run, true);
	}
	if (!covered || store_get_input(c->setup->store, t->input, &s, err) < 0)
		return covered ? -1 : 0;
	c->counts.corpus += !s.in_corpus;
	s.in_corpus = true;
	int stored = store_update_input(c->setup->store, &s, err);
	stored_input_release(&s);
	return stored;
}

static int take_answers(struct campaign *c, struct worker_slot *slot, const struct result *r, struct err *err)
{
	for (uint32_t i = 0; i < slot->n_candidates && i < r->n_answers; i++) {
		struct taken taken;
		if (campaign_take_answer(c, &slot->item, &slot->candidates[i], &r->answers[i], &taken, err) < 0)
			return -1;
		// An input that the search came to first is judged once more: then a finding has its distance.
		bool oracle_run = !taken.known || c->inside->search;
		amplification_solved(slot->assignment->amplification, &slot->candidates[i], r->answers[i].answer,
		                     oracle_run ? taken.input : 0);
	}
	return 0;
}

static int take(struct campaign *c, struct worker_slot *slot, struct result *r, struct err *err)
{
	const struct work_item *t = &slot->item;
	if (t->search)
		return campaign_take_search(c, slot, r, err);
	if (t->flags & JOB_MATCH)
		return take_match(c, slot, r, err);
	if ((t->flags & JOB_PATH) && take_run(c, slot, r, err) < 0)
		return -1;
	if (take_answers(c, slot, r, err) < 0 || (t->known && take_known_finding(c, slot, r, err) < 0))
		return -1;
	return t->flags & JOB_ORACLE ? campaign_take_verdicts(c, slot, r, err) : 0;
}

// What amplification and the search lead to, in the same measure: one run that comes to something large says little
// about the next, and an error is what a campaign is for.
static double worth(const struct campaign *c, const struct campaign_counts *was, uint32_t covered)
{
	static const double ERROR = 50, WARNING = 10;
	return ERROR * (double)(c->counts.errors - was->errors) +
	       WARNING * (double)(c->counts.warnings - was->warnings) + log2(1 + (double)covered);
}

int amplify_take(struct campaign *c, struct worker_slot *slot, struct result *r, struct err *err)
{
	const struct campaign_counts was = c->counts;
	uint32_t covered = cover_totals(c->setup->cover).edges.covered;
	int taken = take(c, slot, r, err);
	covered = cover_totals(c->setup->cover).edges.covered - covered;
	suite_search_account(c, slot, worth(c, &was, covered));
	return taken;
}
