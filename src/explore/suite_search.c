#include "explore/suite_search.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "explore/amplify_internal.h"
#include "explore/rotation.h"

// A worker stays with a program for a while: to start another one takes longer than a short run.
static const double SLICE = 0.5;

// Of findings that the search leads to: larger than all distances.
#define SEARCH_DISTANCE FINDING_SEARCHED

enum { AMPLIFYING, SEARCHING, KINDS };

// Of one program.
struct frontier {
	struct searcher searcher; // strategy NULL: it has no seed yet
	struct work_queue runs;   // inputs whose paths it is to know
	struct work_queue later;  // likewise, when nothing else is left
	struct work_queue oracle; // inputs for the oracle
};

struct owner {
	int64_t snapshot;
	uint32_t program;
	struct suite_test *test;
	struct scoping *scoping; // what is symbolic: its first scope; NULL: not computed yet
};

struct suite_search {
	struct frontier *v; // by program
	uint32_t n;
	struct owner *owners; // of inputs, by snapshot; sorted
	size_t n_owners;
	struct tree entered; // inputs
	struct rotation kinds, programs;
	bool began;
	uint64_t swept; // inputs that there were when all were entered; 0: never
	double swept_at;
};

// --- what is known -------------------------------------------------------------------------------

static int by_snapshot(const void *x, const void *y)
{
	const struct owner *a = x, *b = y;
	return a->snapshot < b->snapshot ? -1 : a->snapshot > b->snapshot;
}

struct suite_search *suite_search_new(struct campaign *c)
{
	const struct suite *suite = amplify_of(c)->suite;
	struct suite_search *s = mem_zero(sizeof *s);
	s->n = c->setup->worker->n_programs;
	s->v = mem_zero((s->n + 1) * sizeof *s->v);
	s->owners = mem_zero((suite->n + 1) * sizeof *s->owners);
	for (size_t i = 0; i < suite->n; i++)
		s->owners[s->n_owners++] = (struct owner){
			.snapshot = suite->v[i].snapshot, .program = suite->v[i].program, .test = &suite->v[i]};
	qsort(s->owners, s->n_owners, sizeof *s->owners, by_snapshot);
	tree_init(&s->entered, (size_t)1 << 22);
	rotation_init(&s->kinds, KINDS);
	rotation_init(&s->programs, s->n);
	return s;
}

void suite_search_free(struct suite_search *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->n; i++) {
		struct frontier *f = &s->v[i];
		work_queue_clear(&f->runs);
		work_queue_clear(&f->later);
		work_queue_clear(&f->oracle);
		searcher_release(&f->searcher);
	}
	for (size_t i = 0; i < s->n_owners; i++) {
		if (s->owners[i].scoping)
			scoping_release(s->owners[i].scoping);
		mem_free(s->owners[i].scoping);
	}
	tree_release(&s->entered);
	rotation_release(&s->kinds);
	rotation_release(&s->programs);
	mem_free(s->owners);
	mem_free(s->v);
	mem_free(s);
}

static struct owner *owner_of(const struct suite_search *s, int64_t snapshot)
{
	const struct owner key = {.snapshot = snapshot};
	return s->n_owners ? bsearch(&key, s->owners, s->n_owners, sizeof key, by_snapshot) : NULL;
}

bool suite_search_has(const struct campaign *c, int64_t snapshot)
{
	const struct suite_search *s = amplify_of(c)->search;
	return s && owner_of(s, snapshot);
}

int64_t suite_search_snapshot(const struct campaign *c, const struct work_item *t, int64_t made_in)
{
	const struct suite_search *s = amplify_of(c)->search;
	if (owner_of(s, made_in))
		return made_in;
	if (owner_of(s, t->snapshot))
		return t->snapshot;
	for (size_t i = 0; i < s->n_owners; i++)
		if (s->owners[i].program == t->program)
			return s->owners[i].snapshot;
	return made_in;
}

int suite_search_scoping(struct campaign *c, const struct work_item *t, const struct scoping **ret, struct err *err)
{
	struct owner *o = owner_of(amplify_of(c)->search, t->snapshot);
	assert(o);
	if (!o->scoping) {
		o->scoping = mem_zero(sizeof *o->scoping);
		if (scoping_begin(c, o->test, o->scoping, err) < 0)
			return -1;
	}
	*ret = o->scoping;
	return 0;
}

static struct frontier *frontier_of(struct campaign *c, uint32_t program)
{
	const struct amplify_setup *setup = amplify_of(c)->setup;
	struct suite_search *s = amplify_of(c)->search;
	assert(program < s->n);
	struct frontier *f = &s->v[program];
	if (f->searcher.strategy)
		return f;
	struct strategy_options o = setup->strategy;
	o.random += program;
	if (strategy_has_episodes(o.kind))
		o.graph = setup->graph_of(c->setup->opaque, program);
	searcher_init(&f->searcher, c, &o);
	f->searcher.oracle = &f->oracle;
	f->searcher.shares_tree = true;
	return f;
}

struct searcher *suite_search_of(struct campaign *c, uint32_t program)
{
	return &frontier_of(c, program)->searcher;
}

bool suite_search_take_oracle(struct campaign *c, struct work_item *ret)
{
	struct suite_search *s = amplify_of(c)->search;
	for (uint32_t i = 0; s && i < s->n; i++)
		if (work_queue_take(&s->v[i].oracle, ret))
			return true;
	return false;
}

const struct work_queue *suite_search_oracle(const struct campaign *c, uint32_t program)
{
	const struct suite_search *s = amplify_of(c)->search;
	return s && program < s->n ? &s->v[program].oracle : NULL;
}

void suite_search_enter(struct campaign *c, const struct work_item *t, bool soon)
{
	struct suite_search *s = amplify_of(c)->search;
	if (!s || tree_set(&s->entered, (uint64_t)t->input, TREE_TAKEN) != TREE_NEW)
		return;
	assert(t->input && t->program < s->n);
	struct work_item run = *t;
	run.search = true;
	run.distance = SEARCH_DISTANCE;
	run.flags = JOB_PATH;
	struct frontier *f = frontier_of(c, t->program);
	work_queue_add(soon ? &f->runs : &f->later, &run);
}

void suite_search_seed(struct campaign *c, const struct suite_test *t)
{
	const struct work_item run = {
		.input = t->input, .seed = t->input, .program = t->program, .snapshot = t->snapshot, .again = true};
	if (!amplify_of(c)->search)
		return;
	strategy_seed(suite_search_of(c, t->program)->strategy, t->input);
	suite_search_enter(c, &run, true);
}

// --- what the store has --------------------------------------------------------------------------

struct sweep {
	struct campaign *c;
	bool all;
};

static int take_input(void *opaque, const struct stored_input *in)
{
	const struct sweep *w = opaque;
	const struct suite_search *s = amplify_of(w->c)->search;
	const struct owner *o = owner_of(s, in->snapshot);
	if (!o || !in->parent || !in->data.len || !w->c->setup->worker->programs[o->program].builds)
		return 0;
	bool done = in->state == INPUT_DONE;
	// One that was not done may have been made to violate a check.
	const struct work_item t = {
		.input = in->id, .program = o->program, .snapshot = in->snapshot, .again = done, .violating = !done};
	if (w->all || in->in_corpus || !done)
		suite_search_enter(w->c, &t, in->in_corpus || !done);
	return 0;
}

// What amplification, or an earlier session, came to.
static int sweep(struct campaign *c, bool all, struct err *err)
{
	struct sweep w = {.c = c, .all = all};
	return store_each_input(c->setup->store, take_input, &w, err);
}

static int begin(struct campaign *c, struct err *err)
{
	const struct suite *suite = amplify_of(c)->suite;
	amplify_of(c)->search->began = true;
	for (size_t i = 0; i < suite->n; i++) // of those that were done before, no path is read
		if (suite->v[i].matched && !suite->v[i].why && suite->v[i].level >= 0)
			suite_search_seed(c, &suite->v[i]);
	return sweep(c, false, err);
}

// --- choosing ------------------------------------------------------------------------------------

static bool has_work(const struct frontier *f)
{
	return f->searcher.strategy &&
	       (f->oracle.n || f->runs.n || f->later.n || strategy_waiting(f->searcher.strategy));
}

// No other worker is at anything that could lead to more candidates.
static bool is_alone(const struct campaign *c, const struct worker_slot *slot)
{
	for (unsigned i = 0; i < c->inside->n_slots; i++) {
		const struct worker_slot *other = &c->inside->slots[i];
		if (other != slot && other->works && other->item.search)
			return false;
	}
	return true;
}

static bool choose_candidates(struct campaign *c, struct worker_slot *slot, uint32_t program)
{
	if (!searcher_choose(&amplify_of(c)->search->v[program].searcher, c, slot, is_alone(c, slot)))
		return false;
	slot->item.program = program;
	slot->item.search = true;
	slot->item.distance = SEARCH_DISTANCE;
	return true;
}

static bool choose_of(struct campaign *c, struct worker_slot *slot, uint32_t program)
{
	struct frontier *f = &amplify_of(c)->search->v[program];
	return work_queue_take(&f->oracle, &slot->item) || work_queue_take(&f->runs, &slot->item) ||
	       choose_candidates(c, slot, program) || work_queue_take(&f->later, &slot->item);
}

// The worker stays with its program for a while, if there is something left; then the programs take turns.
static bool choose_any(struct campaign *c, struct worker_slot *slot)
{
	struct suite_search *s = amplify_of(c)->search;
	struct seat *seat = amplify_seat(c, slot);
	bool *can = mem_zero(s->n + 1), chosen = false;
	for (uint32_t i = 0; i < s->n; i++)
		can[i] = has_work(&s->v[i]);
	while (!chosen) {
		bool stays = campaign_now() < seat->search_until && seat->program < s->n && can[seat->program];
		uint32_t next = stays ? seat->program : rotation_next(&s->programs, can);
		if (next == s->n)
			break;
		chosen = can[next] = choose_of(c, slot, next);
		if (chosen && !stays)
			seat->search_until = campaign_now() + SLICE;
		if (chosen)
			seat->program = next;
	}
	mem_free(can);
	return chosen;
}

// While tests are still amplified there are more inputs every moment; to look through all takes a while.
static bool wants_sweep(const struct campaign *c)
{
	static const double EVERY = 5;
	const struct suite_search *s = amplify_of(c)->search;
	bool soon = amplify_of(c)->suite->done || campaign_now() - s->swept_at > EVERY;
	return soon && s->swept != c->counts.inputs + 1;
}

int suite_search_choose(struct campaign *c, struct worker_slot *slot, struct err *err)
{
	struct suite_search *s = amplify_of(c)->search;
	if (!s->began && begin(c, err) < 0)
		return -1;
	if (choose_any(c, slot))
		return 1;
	if (!is_alone(c, slot) || !wants_sweep(c))
		return 0;
	s->swept = c->counts.inputs + 1; // each input is entered once, so this ends
	s->swept_at = campaign_now();
	return sweep(c, true, err) < 0 ? -1 : suite_search_choose(c, slot, err);
}

// --- shares --------------------------------------------------------------------------------------

double suite_search_leaves(const struct campaign *c)
{
	return amplify_of(c)->search ? rotation_share(&amplify_of(c)->search->kinds, AMPLIFYING) : 1;
}

bool suite_search_is_next(const struct campaign *c)
{
	return rotation_next(&amplify_of(c)->search->kinds, NULL) == SEARCHING;
}

void suite_search_account(struct campaign *c, const struct worker_slot *slot, double worth)
{
	struct suite_search *s = amplify_of(c)->search;
	double seconds = campaign_now() - slot->sent;
	assert(slot->sent > 0 && seconds >= 0 && worth >= 0);
	uint32_t kind = slot->item.search ? SEARCHING : AMPLIFYING;
	if (!s)
		return;
	rotation_gain(&s->kinds, kind, worth);
	rotation_spend(&s->kinds, kind, seconds);
	if (!slot->item.search)
		return;
	rotation_gain(&s->programs, slot->item.program, worth);
	rotation_spend(&s->programs, slot->item.program, seconds);
}

size_t suite_search_waiting(const struct campaign *c)
{
	const struct suite_search *s = amplify_of(c)->search;
	bool episodes = strategy_has_episodes(
		amplify_of(c)->setup->strategy.kind); // then the tree has the candidates, of all programs
	size_t n = s && episodes ? c->inside->tree.count[TREE_PENDING] : 0;
	for (uint32_t i = 0; s && i < s->n; i++)
		if (s->v[i].searcher.strategy)
			n += (episodes ? 0 : strategy_waiting(s->v[i].searcher.strategy)) + s->v[i].runs.n +
			     s->v[i].later.n + s->v[i].oracle.n;
	return n;
}

double suite_search_seconds(const struct campaign *c)
{
	return amplify_of(c)->search ? amplify_of(c)->search->kinds.v[SEARCHING].seconds : 0;
}
