#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "explore/differ_internal.h"

enum { ENOUGH = 8 }; // inputs that show one kind of difference, of the same changes

MAP_FUNCTIONS(compared, struct compared_map, int64_t, .input, .input, map_hash_number, map_same_number)
MAP_FUNCTIONS(kinds, struct kinds_map, uint64_t, .name, .name, map_hash_number, map_same_number)

struct differ *differ_of(const struct campaign *c)
{
	return c->inside->own;
}

struct compared *differ_input(struct differ *d, int64_t input)
{
	return compared_put(&d->inputs, input);
}

static void start(struct campaign *c)
{
	struct differ *d = mem_zero(sizeof *d);
	assert(c->setup->worker->versions && c->setup->worker->n_programs == VERSIONS);
	d->setup = c->setup->driver_setup;
	d->n_lanes = VERSIONS * (1 + d->setup->n_entries);
	d->lanes = mem_zero(d->n_lanes * sizeof *d->lanes);
	for (uint32_t i = 0; i < d->n_lanes; i++) {
		searcher_init(&d->lanes[i].searcher, c, &d->setup->strategy);
		d->lanes[i].searcher.oracle = &d->ignored; // crashes are no findings here
		d->lanes[i].searcher.bounded = i >= VERSIONS;
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
	for (uint32_t i = 0; i < d->n_lanes; i++) {
		searcher_release(&d->lanes[i].searcher);
		work_queue_clear(&d->lanes[i].runs);
	}
	mem_free(d->lanes);
	mem_free(d->shown);
	work_queue_clear(&d->ignored);
	work_queue_clear(&d->comparisons);
	work_queue_clear(&d->of_entries);
	work_queue_clear(&d->joins);
	work_queue_clear(&d->later_joins);
	work_queue_clear(&d->lifts);
	vec_release(&d->whole);
	vec_release(&d->lifted);
	kinds_release(&d->kinds);
	mem_free(d);
}

// --- inputs ---------------------------------------------------------------------------------------

// Both versions run it; what a solution was made for is expected of its own version only.
static void run_on_both(struct differ *d, const struct work_item *t)
{
	assert(t->fragment < VERSIONS);
	for (uint32_t version = 0; version < VERSIONS; version++) {
		struct work_item run = *t;
		run.flags = JOB_PATH;
		run.program = version;
		run.expect = version == t->program ? t->expect : 0;
		run.fragment = version;
		work_queue_add(&d->lanes[version].runs, &run);
	}
}

// Runs that enter a function are of the version whose state they make up.
static void run_in_lane(struct differ *d, const struct work_item *t)
{
	struct work_item run = *t;
	assert(t->fragment < d->n_lanes);
	if (t->fragment < VERSIONS) {
		run_on_both(d, t);
		return;
	}
	run.flags = JOB_PATH;
	run.program = t->fragment % VERSIONS;
	work_queue_add(&d->lanes[t->fragment].runs, &run);
	d->lanes[t->fragment].exhausted = false;
}

int differ_add_input(struct campaign *c, const struct input *in, const struct work_item *from, int64_t *ret_input,
                     struct err *err)
{
	struct stored_input stored = {.changed = -1, .care = -1};
	bool known;
	if (from) {
		stored.parent = from->input;
		stored.snapshot = from->snapshot;
	}
	if (campaign_begin(c, err) < 0 || campaign_add_input(c, in, &stored, &known, err) < 0)
		return -1;
	const struct work_item t = {.input = stored.id,
	                            .seed = from ? from->seed : stored.id,
	                            .snapshot = stored.snapshot,
	                            .program = from ? from->program : 0,
	                            .fragment = from ? from->fragment : 0,
	                            .first = from && from->first};
	*ret_input = stored.id;
	if (!known)
		run_in_lane(differ_of(c), &t);
	return 0;
}

static int add_input(struct campaign *c, const struct input *in, const struct work_item *from, struct err *err)
{
	int64_t ignored;
	return differ_add_input(c, in, from, &ignored, err);
}

static int take_stored_input(void *opaque, const struct stored_input *in)
{
	struct campaign *c = opaque;
	struct differ *d = differ_of(c);
	c->counts.inputs++;
	if (!in->data.len ||
	    (in->snapshot && (!d->setup->takes || !d->setup->takes(d->setup->takes_opaque, in->snapshot))))
		return 0;
	uint32_t version = 0, entry = UINT32_MAX;
	struct input input;
	struct err ignored;
	if (d->setup->n_entries && input_decode(&input, in->data.data, in->data.len, &ignored) == 0) {
		entry = d->setup->entry_of(d->setup->opaque, &input, &version);
		input_release(&input);
	}
	uint32_t lane = entry < d->setup->n_entries ? VERSIONS * (1 + entry) + version : 0;
	const struct work_item t = {
		.input = in->id, .snapshot = in->snapshot, .again = in->state == INPUT_DONE, .fragment = lane};
	d->lanes[lane].seeded = true;
	compared_put(&d->inputs, in->id)->lane = lane;
	run_in_lane(d, &t);
	c->first_session = c->first_session && in->state != INPUT_DONE;
	return 0;
}

static bool is_different(const char *kind)
{
	return *kind && strcmp(kind, ORACLE_NOISE) != 0 && strcmp(kind, ORACLE_SILENT) != 0;
}

// These changes make whole runs differ.
static void note_shown(struct differ *d, const void *goals, uint32_t n)
{
	if (n > d->n_shown) {
		d->shown = mem_resize(d->shown, n);
		memset(d->shown + d->n_shown, 0, n - d->n_shown);
		d->n_shown = n;
	}
	for (uint32_t i = 0; i < n; i++)
		d->shown[i] |= ((const uint8_t *)goals)[i];
}

static void count(struct differ *d, const char *kind)
{
	bool noise = strcmp(kind, ORACLE_NOISE) == 0;
	d->compared++;
	d->noise += noise;
	d->different += *kind && !noise && strcmp(kind, ORACLE_SILENT) != 0;
}

static struct shown *shown_of(struct differ *d, const char *kind, uint32_t lane, const void *goals, size_t n)
{
	return kinds_put(&d->kinds, hash_mix(hash_text(kind), (n ? hash_bytes(goals, n).low : 0) ^ lane) | 1);
}

static int take_stored_comparison(void *opaque, const struct stored_comparison *x)
{
	struct campaign *c = opaque;
	struct differ *d = differ_of(c);
	struct compared *input = compared_put(&d->inputs, x->input);
	input->asked = true;
	if (input->lane >= VERSIONS) { // its pair of paths is joined again: nobody knows what came of it
		const struct work_item t = {.input = x->input,
		                            .seed = x->input,
		                            .program = input->lane % VERSIONS,
		                            .fragment = input->lane};
		d->lanes[t.fragment].unjoined += t.program == 0;
		differ_compared_entry(c, &t, x->kind, true);
	}
	shown_of(d, x->kind, input->lane, x->goals.data, x->goals.len)->inputs++;
	if (input->lane < VERSIONS && is_different(x->kind))
		note_shown(d, x->goals.data, (uint32_t)x->goals.len);
	count(d, x->kind);
	return 0;
}

static int load(struct campaign *c, struct err *err)
{
	c->first_session = true;
	if (store_each_input(c->setup->store, take_stored_input, c, err) < 0)
		return -1;
	return store_each_comparison(c->setup->store, take_stored_comparison, c, err);
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
	struct work_item t = *run;
	t.fragment = from->fragment;
	if (!known)
		run_in_lane(differ_of(c), &t);
}

// --- choosing -------------------------------------------------------------------------------------

static bool is_alone(const struct campaign *c)
{
	const struct differ *d = differ_of(c);
	for (unsigned i = 0; i < c->inside->n_slots; i++)
		if (c->inside->slots[i].works)
			return false;
	return !d->lanes[0].runs.n && !d->lanes[1].runs.n && !d->comparisons.n;
}

bool differ_explore_lane(struct campaign *c, struct worker_slot *slot, uint32_t lane)
{
	struct lane *l = &differ_of(c)->lanes[lane];
	if (work_queue_take(&l->runs, &slot->item))
		return true;
	if (!searcher_choose(&l->searcher, c, slot, is_alone(c)))
		return false;
	slot->item.program = lane % VERSIONS;
	slot->item.fragment = lane;
	return true;
}

// Inputs that wait to be run come first, on the version that is behind; then the one that had less time is explored.
static bool explore_whole(struct campaign *c, struct worker_slot *slot)
{
	const struct lane *l = differ_of(c)->lanes;
	uint32_t first = l[1].seconds < l[0].seconds;
	if (l[0].runs.n != l[1].runs.n)
		first = l[1].runs.n > l[0].runs.n;
	return differ_explore_lane(c, slot, first) || differ_explore_lane(c, slot, !first);
}

// What is compared shows something at last, but exploring leads to what can be compared: each has half of the time.
static int choose(struct campaign *c, struct worker_slot *slot, struct err *err)
{
	struct differ *d = differ_of(c);
	bool any = false;
	differ_settle(c);
	if (differ_is_proved(c))
		return false;
	bool is_behind = d->comparing <= d->lanes[0].seconds + d->lanes[1].seconds;
	if (differ_turn_of_entries(c) && differ_explore_entries(c, slot, &any, err) < 0)
		return -1;
	any = any || ((is_behind || c->setup->deterministic) && work_queue_take(&d->comparisons, &slot->item)) ||
	      (is_behind && differ_vary(c, slot, false)) || explore_whole(c, slot) ||
	      work_queue_take(&d->comparisons, &slot->item);
	if (!any && differ_explore_entries(c, slot, &any, err) < 0)
		return -1;
	return any || differ_vary(c, slot, false) || differ_vary(c, slot, true);
}

static int fill(struct campaign *c, struct worker_slot *slot, const struct stored_input *stored, struct job *j,
                struct err *err)
{
	(void)stored;
	if (slot->item.flags & JOB_LIFT)
		return differ_fill_lift(c, &slot->item, j, err);
	searcher_fill(&differ_of(c)->lanes[slot->item.fragment].searcher, &slot->item, j);
	return 0;
}

static int evicted(struct campaign *c, struct worker_slot *slot, struct err *err)
{
	(void)err;
	searcher_evicted(&differ_of(c)->lanes[slot->item.fragment].searcher, c, slot);
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
	if (t->fragment < VERSIONS && !x->ran)
		vec_push(&d->whole, t->input);
	bool enters = t->fragment >= VERSIONS,
	     near = enters && !d->setup->entries[differ_entry_of(t->fragment)].distance;
	x->ran |= (uint8_t)(enters ? BOTH : 1u << t->program);
	x->lane = t->fragment;
	if (x->ran != BOTH || x->asked || !(any || near))
		return;
	x->asked = true;
	if (enters && t->fragment % VERSIONS == 0)
		d->lanes[t->fragment].unjoined++;
	x->snapshot = t->snapshot;
	x->seed = t->seed;
	struct work_item item = *t;
	item.flags = JOB_ORACLE | (enters ? 0 : JOB_VARY); // those that enter a function are varied later
	item.first = x->wanted || x->whole;
	item.program = enters ? t->fragment % VERSIONS : 0;
	item.expect = 0;
	work_queue_add(enters ? &d->of_entries : &d->comparisons, &item);
}

static int store_comparison(struct campaign *c, const struct work_item *t, const char *kind, const char *why,
                            struct err *err)
{
	struct differ *d = differ_of(c);
	const struct compared *x = compared_put(&d->inputs, t->input);
	struct stored_comparison row = {.input = t->input, .kind = kind, .why = why};
	buf_add(&row.goals, x->goals, x->n_goals);
	char *whole = x->whole ? mem_printf("%s%s\t%lld\n", why, ORACLE_WHOLE, (long long)x->whole) : NULL;
	row.why = whole ? whole : why;
	struct shown *shown = shown_of(d, kind, t->fragment, row.goals.data, row.goals.len);
	int r = campaign_begin(c, err) < 0 ? -1 : store_set_comparison(c->setup->store, &row, err);
	count(d, kind);
	bool slow = oracle_is_slow(kind); // each try would take seconds
	if (t->fragment < VERSIONS && is_different(kind))
		note_shown(d, x->goals, x->n_goals);
	if (shown->inputs++ == 0 && !slow && is_different(kind)) { // one of each is minimised
		struct work_item item = *t;
		item.flags = JOB_ORACLE | JOB_MINIMISE;
		work_queue_add(t->fragment < VERSIONS ? &d->comparisons : &d->of_entries, &item);
		differ_lift(c, t);
	}
	mem_free(whole);
	buf_release(&row.goals);
	return r;
}

// A variation most likely executes what the input does.
static bool is_wanted(struct differ *d, const struct work_item *t, const char *kind)
{
	const struct compared *x = compared_put(&d->inputs, t->input);
	return (t->flags & JOB_MINIMISE) || shown_of(d, kind, t->fragment, x->goals, x->n_goals)->inputs < ENOUGH;
}

// An input that is known to show something: it does not wait behind others, which may be hangs.
static int add_found(struct campaign *c, const struct input *in, const struct work_item *from, struct err *err)
{
	struct work_item first = *from;
	int64_t input = 0;
	first.first = true;
	int r = differ_add_input(c, in, &first, &input, err);
	if (r == 0)
		differ_input(differ_of(c), input)->wanted = true;
	return r;
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
		bool noise = !is_different(v->verdict.kind);
		bool other = (t->flags & JOB_MINIMISE) || v->changed > 0;
		if (!other && !own)
			own = &v->verdict;
		else if (other && !noise && is_wanted(d, t, v->verdict.kind))
			result = add_found(c, &v->input, t, err);
	}
	if (result < 0 || (t->flags & JOB_MINIMISE) || t->round)
		return result;
	if (!own)
		vec_push(&d->agreeing, t->input);
	if (t->fragment >= VERSIONS)
		differ_compared_entry(c, t, own ? own->kind : "", false);
	return store_comparison(c, t, own ? own->kind : "", own ? own->report : "", err);
}

// What leaves open whether there are other paths.
static void note_outcome(struct differ_outcome *o, const struct work_item *t, const struct result *r)
{
	bool is_run = t->flags & JOB_PATH;
	o->runs += is_run;
	o->open += is_run && (r->cut || r->full || r->damaged || r->unmodelled || r->untraced || r->concretised ||
	                      r->run.end == RUN_TIMEOUT || r->run.end == RUN_MEMORY || (t->expect && !r->as_expected));
	for (uint32_t i = 0; i < r->n_answers; i++)
		o->open += r->answers[i].answer == ANSWER_UNKNOWN;
}

static int take(struct campaign *c, struct worker_slot *slot, struct result *r, struct err *err)
{
	struct differ *d = differ_of(c);
	const struct work_item *t = &slot->item;
	double spent = c->setup->deterministic ? 0.001 : campaign_now() - slot->sent;
	bool enters = t->fragment >= VERSIONS;
	d->entering += enters ? spent : 0;
	if (t->flags & JOB_LIFT)
		return differ_take_lift(c, t, r, err);
	if (t->flags & JOB_JOIN)
		return differ_take_join(c, t, r, err);
	if (t->flags & JOB_ORACLE) {
		d->comparing += enters ? 0 : spent;
		return take_comparison(c, t, r, err);
	}
	d->lanes[t->fragment].seconds += spent;
	note_outcome(&d->lanes[t->fragment].outcome, t, r);
	int result = searcher_take(&d->lanes[t->fragment].searcher, c, slot, r, err);
	work_queue_clear(&d->ignored);
	if (result == 0 && (t->flags & JOB_PATH))
		note_run(c, t, r->goals, r->n_goals);
	return result < 0 ? -1 : campaign_finish_input(c, t->input, err);
}

static void lost(struct campaign *c, struct worker_slot *slot)
{
	struct differ *d = differ_of(c);
	if (slot->item.flags & JOB_JOIN)
		d->lanes[slot->item.fragment].left_open = true;
	if (slot->item.flags & (JOB_ORACLE | JOB_JOIN | JOB_LIFT))
		return;
	d->lanes[slot->item.fragment].outcome.open++;
	searcher_lost(&d->lanes[slot->item.fragment].searcher, c, slot);
	if (slot->item.flags & JOB_PATH)
		note_run(c, &slot->item, NULL, 0);
}

// --- the end --------------------------------------------------------------------------------------

// The budget is used up: what waits is compared as it is.
static bool pending(struct campaign *c, struct worker_slot *slot, struct work_item *ret)
{
	struct differ *d = differ_of(c);
	if (slot || !(work_queue_take(&d->comparisons, ret) || work_queue_take(&d->of_entries, ret)))
		return false;
	ret->flags &= ~(uint32_t)JOB_VARY;
	return true;
}

static void measure(struct campaign *c)
{
	const struct differ *d = differ_of(c);
	c->waiting = d->comparisons.n + d->of_entries.n;
	for (uint32_t i = 0; i < d->n_lanes; i++)
		c->waiting += d->lanes[i].runs.n + strategy_waiting(d->lanes[i].searcher.strategy);
}

static void end(struct campaign *c)
{
	const struct differ *d = differ_of(c);
	differ_settle(c);
	*d->setup->ret_compared = d->compared;
	*d->setup->ret_different = d->different;
	*d->setup->ret_noise = d->noise;
	for (uint32_t i = VERSIONS; i < d->n_lanes; i++) {
		struct differ_outcome o = d->lanes[i].outcome;
		o.complete = d->lanes[i].exhausted && !o.open && !d->lanes[i].searcher.unsure;
		o.proved = d->lanes[i].proved;
		o.pairs = d->lanes[i].joined;
		d->setup->ended(d->setup->opaque, differ_entry_of(i), i % VERSIONS, &o);
	}
}

// Whole runs were left out, or not all paths were run.
static bool is_complete(const struct campaign *c)
{
	return !differ_is_proved(c);
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
	.is_complete = is_complete,
};
