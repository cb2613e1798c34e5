#include "explore/amplify.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "explore/amplify_internal.h"
#include "explore/suite_search.h"

static void start(struct campaign *c)
{
	const struct amplify_setup *setup = c->setup->driver_setup;
	struct amplify *a = c->inside->own = mem_zero(sizeof *a);
	a->setup = setup;
	a->suite = setup->suite;
	a->awaits = setup->awaits != NULL;
	a->seats = mem_zero(c->inside->n_slots * sizeof *a->seats);
	tree_init(&a->explored, (size_t)1 << 23);
	tree_init(&a->pairs, (size_t)1 << 22);
	a->search = setup->searches ? suite_search_new(c) : NULL;
	for (size_t i = 0; i < a->suite->n; i++) // by an earlier session
		c->counts.compared += a->suite->v[i].matched;
	suite_start(a->suite);
}

static void release(struct campaign *c)
{
	struct amplify *a = amplify_of(c);
	for (unsigned i = 0; i < c->inside->n_slots; i++) {
		amplify_end_assignment(c, &c->inside->slots[i]);
		work_queue_clear(&a->seats[i].oracle);
	}
	suite_search_free(a->search);
	tree_release(&a->explored);
	tree_release(&a->pairs);
	mem_free(a->seats);
	mem_free(a);
}

// --- programs that are being built ---------------------------------------------------------------

// All programs have their variants: inputs of earlier sessions can run.
static int take_built(struct campaign *c, struct err *err)
{
	if (amplify_load_known(c, true, err) < 0)
		return -1;
	campaign_load_pending(c);
	return 0;
}

static int load(struct campaign *c, struct err *err)
{
	if (amplify_load_known(c, false, err) < 0)
		return -1;
	return amplify_of(c)->awaits ? 0 : take_built(c, err);
}

static int poll_programs(struct campaign *c, struct err *err)
{
	struct amplify *a = amplify_of(c);
	if (!a->awaits)
		return 0;
	a->awaits = a->setup->awaits(c->setup->opaque);
	return a->awaits ? 0 : take_built(c, err);
}

static bool waits(const struct campaign *c)
{
	return amplify_of(c)->awaits;
}

static int64_t program_of(const struct campaign *c, int64_t snapshot)
{
	const struct suite *s = amplify_of(c)->suite;
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].snapshot == snapshot)
			return c->setup->worker->programs[s->v[i].program].builds ? s->v[i].program : -1;
	return -1;
}

// --- choosing ------------------------------------------------------------------------------------

// The test's own input runs again, at another distance or with another window: how that ends, what it covers and what
// the oracle finds is known. Others run for the first time.
static uint32_t run_flags(const struct suite_test *t, const struct amplification_action *a)
{
	if (a->expect)
		return JOB_PATH | JOB_AFTER | (a->known ? 0u : JOB_ORACLE);
	return JOB_PATH | JOB_ALL | (a->known || t->number ? JOB_HEAD : JOB_ORACLE);
}

static struct work_item item_of(const struct campaign *c, const struct assignment *v,
                                const struct amplification_action *a)
{
	const struct suite_test *t = v->test;
	double left = v->until - campaign_clock(c);
	struct work_item item = {.input = a->input,
	                         .seed = t->input,
	                         .program = t->program,
	                         .snapshot = t->snapshot,
	                         .expect = a->expect,
	                         .run_ms = amplify_limit_run(c, t),
	                         .again = a->known,
	                         .distance = suite_distance(t),
	                         .depth = a->depth};
	switch (a->act) {
	case AMPLIFY_RUN: item.flags = run_flags(t, a); break;
	case AMPLIFY_CONFIRM:
		item.flags = JOB_ORACLE;
		item.violating = true;
		break;
	case AMPLIFY_SOLVE: item.milliseconds = left > 0.05 ? (uint32_t)(1000 * left) : 50; break;
	case AMPLIFY_DONE: break;
	}
	if (c->counts.timeouts > HANGS)
		item.flags |= JOB_QUICK;
	return item;
}

// The first run of a test: does the program do what was recorded?
static void choose_match(const struct campaign *c, struct worker_slot *slot, const struct assignment *v)
{
	const struct amplification_action a = {.input = v->test->input};
	slot->item = item_of(c, v, &a);
	slot->item.flags = JOB_MATCH;
	if (v->early) {
		slot->item.flags |= JOB_QUICK;
		slot->item.run_ms = EARLY_MS;
	}
}

// What the worker's test has to do next: 1. 0: the test is past, or its time is: choose again.
static int choose_of_test(struct campaign *c, struct worker_slot *slot, struct err *err)
{
	struct assignment *v = amplify_seat(c, slot)->assignment;
	struct amplification_action a;
	if (!v->amplification) {
		choose_match(c, slot, v);
		return 1;
	}
	amplification_next(v->amplification, BATCH, &a);
	if (a.act == AMPLIFY_DONE)
		return amplify_past(c, slot, !v->cut, err);
	// The time for solutions is spent: the oracle sees them, however late it is.
	if (a.act != AMPLIFY_CONFIRM && campaign_clock(c) > v->until) {
		c->counts.skipped += amplification_cut(v->amplification);
		v->cut = true;
		return 0;
	}
	slot->item = item_of(c, v, &a);
	if (a.act != AMPLIFY_SOLVE)
		return 1;
	assert(a.n_candidates && a.n_candidates <= BATCH);
	slot->n_candidates = a.n_candidates;
	memcpy(slot->candidates, a.candidates, a.n_candidates * sizeof *a.candidates);
	campaign_sort_candidates(slot);
	return 1;
}

// No test is left for the worker.
static int choose_rest(struct campaign *c, struct worker_slot *slot, struct err *err)
{
	int r = amplify_may_search(c) ? suite_search_choose(c, slot, err) : 0;
	return r != 0 ? r : amplify_of(c)->search && campaign_take_idle(c, &slot->item);
}

static int choose(struct campaign *c, struct worker_slot *slot, struct err *err)
{
	struct seat *seat = amplify_seat(c, slot);
	for (int r = 0;;) {
		if (work_queue_take(&seat->oracle, &slot->item) ||
		    (!seat->assignment && work_queue_take(&c->inside->oracle, &slot->item)))
			return 1;
		bool searches = !seat->assignment && amplify_may_search(c);
		if (searches && (campaign_now() < seat->search_until || suite_search_is_next(c)))
			r = suite_search_choose(c, slot, err);
		if (r != 0)
			return r;
		int begun = seat->assignment ? 1 : amplify_begin_test(c, slot, err);
		if (begun <= 0)
			return begun < 0 ? -1 : choose_rest(c, slot, err);
		r = choose_of_test(c, slot, err);
		if (r != 0)
			return r;
	}
}

// What of the input is symbolic: as in the scope of the worker's test, or the first scope of the test that the search
// started from.
static int fill(struct campaign *c, struct worker_slot *slot, const struct stored_input *stored, struct job *j,
                struct err *err)
{
	const struct assignment *v = amplify_seat(c, slot)->assignment;
	const struct scoping *t = v ? &v->scoping : NULL;
	struct work_item *item = &slot->item;
	if (item->search) {
		item->snapshot = suite_search_snapshot(c, item, stored->snapshot); // candidates do not have it
		searcher_fill(suite_search_of(c, item->program), item, j);
		if (suite_search_scoping(c, item, &t, err) < 0)
			return -1;
	}
	if (!t)
		return 0;
	buf_add(&j->windows, t->windows.data, t->windows.len);
	j->scope = t->key;
	return 0;
}

static int evicted(struct campaign *c, struct worker_slot *slot, struct err *err)
{
	const struct assignment *v = amplify_seat(c, slot)->assignment;
	const struct work_item *item = &slot->item;
	if (item->search)
		searcher_evicted(suite_search_of(c, item->program), c, slot);
	else if (v && ((item->flags & JOB_MATCH) || slot->n_candidates))
		return amplify_past(c, slot, false, err);
	else if (v && (item->flags & JOB_PATH))
		amplification_ran(v->amplification, NULL, 0, NULL);
	return 0;
}

static void lost(struct campaign *c, struct worker_slot *slot)
{
	amplify_lose_test(c, slot);
	if (slot->item.search)
		searcher_lost(suite_search_of(c, slot->item.program), c, slot);
}

// --- results -------------------------------------------------------------------------------------

// The input of a test that is no part of the suite any more, as one of the test at hand.
static bool adopt(struct campaign *c, const struct work_item *from, struct work_item *run)
{
	struct stored_input stored = {0};
	struct input in = {0};
	struct err err;
	bool known = true;
	if (campaign_fetch_input(c, run->input, &stored, &in, &err) != 0)
		return false;
	struct stored_input own = {.parent = from->input, .changed = -1, .care = -1, .snapshot = from->snapshot};
	bool added = campaign_add_input(c, &in, &own, &known, &err) == 0;
	*run = (struct work_item){.input = own.id,
	                          .seed = run->seed,
	                          .program = from->program,
	                          .snapshot = from->snapshot,
	                          .again = known};
	stored_input_release(&stored);
	input_release(&in);
	return added;
}

// Answers of earlier sessions may have solutions of tests that the suite no longer has, or has in another environment.
static void add(struct campaign *c, const struct work_item *from, const struct work_item *run, bool known)
{
	(void)known;
	struct work_item own = *run;
	if (from->search && (suite_search_has(c, run->snapshot) || adopt(c, from, &own)))
		suite_search_enter(c, &own, true);
}

// A finding has the smallest distance at which it was seen.
static int seen_again(struct campaign *c, const struct work_item *item, uint64_t key, struct err *err)
{
	return store_nearer_finding(c->setup->store, key, item->distance, item->depth, err);
}

// Ends the worker's test when nothing of it is left for the oracle.
static bool pending(struct campaign *c, struct worker_slot *slot, struct work_item *ret)
{
	struct amplification_action a = {.act = AMPLIFY_DONE};
	if (!slot)
		return suite_search_take_oracle(c, ret);
	struct seat *seat = amplify_seat(c, slot);
	const struct assignment *v = seat->assignment;
	if (work_queue_take(&seat->oracle, ret))
		return true;
	if (v && v->amplification) {
		c->counts.skipped += amplification_cut(v->amplification);
		amplification_next(v->amplification, BATCH, &a);
	}
	if (a.act != AMPLIFY_CONFIRM) {
		amplify_end_assignment(c, slot);
		return false;
	}
	*ret = item_of(c, v, &a);
	return true;
}

static void list_queue(const struct work_queue *q, void (*add)(void *, const struct work_item *), void *opaque)
{
	for (const struct work_item *t = q->n ? q->first : NULL; t; t = t->next)
		add(opaque, t);
}

static void list_seat(const struct seat *seat, void (*add)(void *, const struct work_item *), void *opaque)
{
	const struct assignment *v = seat->assignment;
	struct work_item t = {0};
	list_queue(&seat->oracle, add, opaque);
	if (!v || !v->amplification)
		return;
	t.distance = suite_distance(v->test);
	for (size_t i = 0; (t.input = amplification_pending(v->amplification, i, &t.depth)); i++)
		add(opaque, &t);
}

static bool list_pending(const struct campaign *c, void (*add)(void *, const struct work_item *), void *opaque)
{
	const struct amplify *a = amplify_of(c);
	const struct work_queue *q;
	if (a->awaits)
		return false;
	for (unsigned i = 0; i < c->inside->n_slots; i++)
		list_seat(&a->seats[i], add, opaque);
	for (uint32_t i = 0; (q = suite_search_oracle(c, i)); i++)
		list_queue(q, add, opaque);
	return true;
}

// --- figures -------------------------------------------------------------------------------------

static void measure(struct campaign *c)
{
	const struct amplify *a = amplify_of(c);
	c->waiting = a->suite->left + a->suite->unready;
	for (unsigned i = 0; i < c->inside->n_slots; i++)
		c->waiting += a->seats[i].assignment != NULL;
	c->candidates = suite_search_waiting(c);
}

static void end(struct campaign *c)
{
	amplify_note_tests(c);
	c->searched = suite_search_seconds(c);
}

static bool is_complete(const struct campaign *c)
{
	const struct suite *s = amplify_of(c)->suite;
	bool cut = c->counts.skipped > 0;
	for (size_t i = 0; i < s->n; i++)
		cut |= s->v[i].cut;
	return amplify_of(c)->search && s->done && !s->unready && !s->n_windows && !cut;
}

const struct driver driver_amplify = {
	.start = start,
	.release = release,
	.load = load,
	.poll = poll_programs,
	.waits = waits,
	.choose = choose,
	.fill = fill,
	.evicted = evicted,
	.take = amplify_take,
	.lost = lost,
	.add = add,
	.seen_again = seen_again,
	.pending = pending,
	.list_pending = list_pending,
	.program_of = program_of,
	.measure = measure,
	.end = end,
	.is_complete = is_complete,
};
