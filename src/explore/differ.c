#include "explore/differ.h"

#include <assert.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "explore/driver.h"
#include "explore/searcher.h"

enum { VERSIONS = 2, BOTH = (1 << VERSIONS) - 1 };
enum { ENOUGH = 8 }; // inputs that show one kind of difference, of the same changes

// An input.
struct compared {
	int64_t input;  // 0: free
	uint8_t ran;    // a bit for each version that has run it
	bool asked;     // it is being compared, or was
	uint8_t rounds; // of variations
	int64_t snapshot, seed;
	uint8_t *goals; // that either version reached; NULL: none
	uint32_t n_goals;
};
MAP(compared_map, struct compared);
MAP_FUNCTIONS(compared, struct compared_map, int64_t, .input, .input, map_hash_number, map_same_number)

// Kinds of differences of inputs that execute the same changes.
struct shown {
	uint64_t name; // 0: free
	uint32_t inputs;
};
MAP(shown_map, struct shown);
MAP_FUNCTIONS(shown, struct shown_map, uint64_t, .name, .name, map_hash_number, map_same_number)

struct differ {
	const struct differ_setup *setup;
	struct searcher searchers[VERSIONS];
	struct work_queue runs[VERSIONS], ignored;
	struct work_queue comparisons;
	double seconds[VERSIONS]; // of workers
	double comparing;
	struct compared_map inputs;
	struct shown_map shown;
	VEC(int64_t) agreeing; // inputs on which both versions do the same
	size_t next;           // of them, whose variations are tried
	size_t compared, different, noise;
};

static struct differ *differ_of(const struct campaign *c)
{
	return c->inside->own;
}

static void start(struct campaign *c)
{
	struct differ *d = mem_zero(sizeof *d);
	assert(c->setup->worker->versions && c->setup->worker->n_programs == VERSIONS);
	d->setup = c->setup->driver_setup;
	for (int version = 0; version < VERSIONS; version++) {
		searcher_init(&d->searchers[version], c, &d->setup->strategy);
		d->searchers[version].oracle = &d->ignored; // crashes are no findings here
	}
	c->inside->own = d;
}

static void release(struct campaign *c)
{
	struct differ *d = differ_of(c);
	struct compared *x;
	for (size_t at = 0; (x = compared_next(&d->inputs, &at));)
		mem_free(x->goals);
	compared_release(&d->inputs);
	vec_release(&d->agreeing);
	for (int version = 0; version < VERSIONS; version++) {
		searcher_release(&d->searchers[version]);
		work_queue_clear(&d->runs[version]);
	}
	work_queue_clear(&d->ignored);
	work_queue_clear(&d->comparisons);
	shown_release(&d->shown);
	mem_free(d);
}

// --- inputs ---------------------------------------------------------------------------------------

// Both versions run it; what a solution was made for is expected of its own version only.
static void run_on_both(struct differ *d, const struct work_item *t)
{
	for (uint32_t version = 0; version < VERSIONS; version++) {
		struct work_item run = *t;
		run.flags = JOB_PATH;
		run.program = version;
		run.expect = version == t->program ? t->expect : 0;
		work_queue_add(&d->runs[version], &run);
	}
}

static int add_input(struct campaign *c, const struct input *in, const struct work_item *from, struct err *err)
{
	struct stored_input stored = {.changed = -1, .care = -1};
	bool known;
	if (from) {
		stored.parent = from->input;
		stored.snapshot = from->snapshot;
	}
	if (campaign_begin(c, err) < 0 || campaign_add_input(c, in, &stored, &known, err) < 0)
		return -1;
	const struct work_item t = {
		.input = stored.id, .seed = from ? from->seed : stored.id, .snapshot = stored.snapshot};
	if (!known)
		run_on_both(differ_of(c), &t);
	return 0;
}

static int take_stored_input(void *opaque, const struct stored_input *in)
{
	struct campaign *c = opaque;
	struct differ *d = differ_of(c);
	c->counts.inputs++;
	if (!in->data.len || (in->snapshot && (!d->setup->takes || !d->setup->takes(d->setup->opaque, in->snapshot))))
		return 0;
	const struct work_item t = {.input = in->id, .snapshot = in->snapshot, .again = in->state == INPUT_DONE};
	run_on_both(d, &t);
	c->first_session = c->first_session && in->state != INPUT_DONE;
	return 0;
}

static void count(struct differ *d, const char *kind)
{
	bool noise = strcmp(kind, ORACLE_NOISE) == 0;
	d->compared++;
	d->noise += noise;
	d->different += *kind && !noise;
}

static struct shown *shown_of(struct differ *d, const char *kind, const void *goals, size_t n)
{
	return shown_put(&d->shown, hash_mix(hash_text(kind), n ? hash_bytes(goals, n).low : 0) | 1);
}

static int take_stored_comparison(void *opaque, const struct stored_comparison *x)
{
	struct differ *d = opaque;
	compared_put(&d->inputs, x->input)->asked = true;
	shown_of(d, x->kind, x->goals.data, x->goals.len)->inputs++;
	count(d, x->kind);
	return 0;
}

static int load(struct campaign *c, struct err *err)
{
	c->first_session = true;
	if (store_each_comparison(c->setup->store, take_stored_comparison, differ_of(c), err) < 0)
		return -1;
	return store_each_input(c->setup->store, take_stored_input, c, err);
}

static int seed(struct campaign *c, struct err *err)
{
	const struct differ_setup *setup = differ_of(c)->setup;
	for (size_t i = 0; i < setup->n_seeds; i++)
		if (add_input(c, &setup->seeds[i], NULL, err) < 0)
			return -1;
	return 0;
}

static void add(struct campaign *c, const struct work_item *from, const struct work_item *run, bool known)
{
	(void)from;
	if (!known)
		run_on_both(differ_of(c), run);
}

// --- choosing -------------------------------------------------------------------------------------

static bool is_alone(const struct campaign *c)
{
	const struct differ *d = differ_of(c);
	for (unsigned i = 0; i < c->inside->n_slots; i++)
		if (c->inside->slots[i].works)
			return false;
	return !d->runs[0].n && !d->runs[1].n && !d->comparisons.n;
}

static bool explore_version(struct campaign *c, struct worker_slot *slot, uint32_t version)
{
	struct differ *d = differ_of(c);
	if (work_queue_take(&d->runs[version], &slot->item))
		return true;
	if (!searcher_choose(&d->searchers[version], c, slot, is_alone(c)))
		return false;
	slot->item.program = version;
	return true;
}

// Inputs that wait to be run come first, on the version that is behind; then the one that had less time is explored.
static bool explore_any(struct campaign *c, struct worker_slot *slot)
{
	const struct differ *d = differ_of(c);
	uint32_t first = d->seconds[1] < d->seconds[0];
	if (d->runs[0].n != d->runs[1].n)
		first = d->runs[1].n > d->runs[0].n;
	return explore_version(c, slot, first) || explore_version(c, slot, !first);
}

// Nothing is left to explore: other values on paths that are known.
static bool choose_variation(struct campaign *c, struct worker_slot *slot)
{
	enum { ROUNDS = 20 };
	struct differ *d = differ_of(c);
	for (size_t tried = 0; tried < d->agreeing.n; tried++) {
		int64_t input = d->agreeing.v[d->next++ % d->agreeing.n];
		struct compared *x = compared_put(&d->inputs, input);
		if (x->rounds >= ROUNDS)
			continue;
		slot->item = (struct work_item){.input = input,
		                                .seed = x->seed,
		                                .snapshot = x->snapshot,
		                                .flags = JOB_ORACLE | JOB_VARY,
		                                .round = ++x->rounds};
		return true;
	}
	return false;
}

// What is compared shows something at last, but exploring leads to what can be compared: each has half of the time.
static int choose(struct campaign *c, struct worker_slot *slot, struct err *err)
{
	(void)err;
	struct differ *d = differ_of(c);
	bool is_next = c->setup->deterministic || d->comparing <= d->seconds[0] + d->seconds[1];
	return (is_next && work_queue_take(&d->comparisons, &slot->item)) || explore_any(c, slot) ||
	       work_queue_take(&d->comparisons, &slot->item) || choose_variation(c, slot);
}

static int fill(struct campaign *c, struct worker_slot *slot, const struct stored_input *stored, struct job *j,
                struct err *err)
{
	(void)stored, (void)err;
	searcher_fill(&differ_of(c)->searchers[slot->item.program], &slot->item, j);
	return 0;
}

static int evicted(struct campaign *c, struct worker_slot *slot, struct err *err)
{
	(void)err;
	searcher_evicted(&differ_of(c)->searchers[slot->item.program], c, slot);
	return 0;
}

// --- results --------------------------------------------------------------------------------------

// The goals are known once both versions have run it.
static void note_run(struct campaign *c, const struct work_item *t, const uint8_t *goals, uint32_t n)
{
	struct differ *d = differ_of(c);
	struct compared *x = compared_put(&d->inputs, t->input);
	bool any = false;
	if (!x->goals && n) {
		x->goals = mem_zero(n);
		x->n_goals = n;
	}
	for (uint32_t i = 0; i < n && i < x->n_goals; i++)
		x->goals[i] |= goals[i];
	for (uint32_t i = 0; i < x->n_goals; i++)
		any |= x->goals[i] != 0;
	x->ran |= (uint8_t)(1u << t->program);
	if (x->ran != BOTH || x->asked || !any)
		return;
	x->asked = true;
	x->snapshot = t->snapshot;
	x->seed = t->seed;
	struct work_item item = *t;
	item.flags = JOB_ORACLE | JOB_VARY;
	item.program = 0;
	item.expect = 0;
	work_queue_add(&d->comparisons, &item);
}

static int store_comparison(struct campaign *c, const struct work_item *t, const char *kind, const char *why,
                            struct err *err)
{
	struct differ *d = differ_of(c);
	const struct compared *x = compared_put(&d->inputs, t->input);
	struct stored_comparison row = {.input = t->input, .kind = kind, .why = why};
	buf_add(&row.goals, x->goals, x->n_goals);
	struct shown *shown = shown_of(d, kind, row.goals.data, row.goals.len);
	int r = campaign_begin(c, err) < 0 ? -1 : store_set_comparison(c->setup->store, &row, err);
	count(d, kind);
	bool slow = oracle_is_slow(kind);                                                // each try would take seconds
	if (shown->inputs++ == 0 && *kind && !slow && strcmp(kind, ORACLE_NOISE) != 0) { // one of each is minimised
		struct work_item item = *t;
		item.flags = JOB_ORACLE | JOB_MINIMISE;
		work_queue_add(&d->comparisons, &item);
	}
	buf_release(&row.goals);
	return r;
}

// A variation most likely executes what the input does.
static bool is_wanted(struct differ *d, const struct work_item *t, const char *kind)
{
	const struct compared *x = compared_put(&d->inputs, t->input);
	return (t->flags & JOB_MINIMISE) || shown_of(d, kind, x->goals, x->n_goals)->inputs < ENOUGH;
}

// Verdicts on the input itself come first. Those on others, smaller ones and variations, make these inputs, too, which
// are compared like any.
static int take_comparison(struct campaign *c, const struct work_item *t, const struct result *r, struct err *err)
{
	struct differ *d = differ_of(c);
	const struct verdict *own = NULL;
	int result = 0;
	c->counts.oracle_runs++;
	for (uint32_t i = 0; i < r->n_verdicts && result == 0; i++) {
		const struct result_verdict *v = &r->verdicts[i];
		bool noise = strcmp(v->verdict.kind, ORACLE_NOISE) == 0;
		bool other = (t->flags & JOB_MINIMISE) || v->changed > 0;
		if (!other && !own)
			own = &v->verdict;
		else if (other && !noise && is_wanted(d, t, v->verdict.kind))
			result = add_input(c, &v->input, t, err);
	}
	if (result < 0 || (t->flags & JOB_MINIMISE) || t->round)
		return result;
	if (!own)
		vec_push(&d->agreeing, t->input);
	return store_comparison(c, t, own ? own->kind : "", own ? own->report : "", err);
}

static int take(struct campaign *c, struct worker_slot *slot, struct result *r, struct err *err)
{
	struct differ *d = differ_of(c);
	const struct work_item *t = &slot->item;
	double spent = c->setup->deterministic ? 0.001 : campaign_now() - slot->sent;
	if (t->flags & JOB_ORACLE) {
		d->comparing += spent;
		return take_comparison(c, t, r, err);
	}
	d->seconds[t->program] += spent;
	int result = searcher_take(&d->searchers[t->program], c, slot, r, err);
	work_queue_clear(&d->ignored);
	if (result == 0 && (t->flags & JOB_PATH))
		note_run(c, t, r->goals, r->n_goals);
	return result < 0 ? -1 : campaign_finish_input(c, t->input, err);
}

static void lost(struct campaign *c, struct worker_slot *slot)
{
	struct differ *d = differ_of(c);
	if (slot->item.flags & JOB_ORACLE)
		return;
	searcher_lost(&d->searchers[slot->item.program], c, slot);
	if (slot->item.flags & JOB_PATH)
		note_run(c, &slot->item, NULL, 0);
}

// --- the end --------------------------------------------------------------------------------------

// The budget is used up: what waits is compared as it is.
static bool pending(struct campaign *c, struct worker_slot *slot, struct work_item *ret)
{
	struct differ *d = differ_of(c);
	if (slot || !work_queue_take(&d->comparisons, ret))
		return false;
	ret->flags &= ~(uint32_t)JOB_VARY;
	return true;
}

static void measure(struct campaign *c)
{
	const struct differ *d = differ_of(c);
	c->waiting = d->comparisons.n + d->runs[0].n + d->runs[1].n;
	for (int version = 0; version < VERSIONS; version++)
		c->waiting += strategy_waiting(d->searchers[version].strategy);
}

static void end(struct campaign *c)
{
	const struct differ *d = differ_of(c);
	*d->setup->ret_compared = d->compared;
	*d->setup->ret_different = d->different;
	*d->setup->ret_noise = d->noise;
}

const struct driver driver_versions = {
	.start = start,
	.release = release,
	.load = load,
	.seed = seed,
	.choose = choose,
	.fill = fill,
	.evicted = evicted,
	.take = take,
	.lost = lost,
	.add = add,
	.pending = pending,
	.measure = measure,
	.end = end,
};
