#include "explore/suite_search.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "explore/rotation.h"

// A worker stays with a program for a while: to start another one takes longer than a short run.
static const double SLICE = 0.5;

enum { AMPLIFYING, SEARCHING, KINDS };

// Of one program.
struct frontier {
	struct strategy_setup setup;
	struct strategy *strategy; // NULL: it has no seed yet
	struct work_queue runs;    // inputs whose paths it is to know
	struct work_queue later;   // likewise, when nothing else is left
	struct work_queue oracle;  // for the oracle
};

struct owner {
	int64_t snapshot;
	uint32_t program;
	struct suite_test *test;
	struct targeting *targeting; // what is symbolic: its first target; NULL: nobody has asked
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

// --- what is known --------------------------------------------------------------------------------

static int by_snapshot(const void *x, const void *y)
{
	const struct owner *a = x, *b = y;
	return a->snapshot < b->snapshot ? -1 : a->snapshot > b->snapshot;
}

struct suite_search *suite_search_new(struct campaign *c)
{
	const struct suite *suite = c->setup->suite;
	if (!c->setup->searches)
		return NULL;
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
	struct work_item t;
	for (uint32_t i = 0; s && i < s->n; i++) {
		struct frontier *f = &s->v[i];
		while (work_queue_take(&f->runs, &t) || work_queue_take(&f->later, &t) ||
		       work_queue_take(&f->oracle, &t))
			;
		strategy_free(f->strategy);
	}
	if (!s)
		return;
	for (size_t i = 0; i < s->n_owners; i++) {
		if (s->owners[i].targeting)
			targeting_release(s->owners[i].targeting);
		mem_free(s->owners[i].targeting);
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

int suite_search_targeting(struct campaign *c, const struct work_item *t, const struct targeting **ret, struct err *err)
{
	struct owner *o = owner_of(c->inside->search, t->snapshot);
	assert(o);
	if (!o->targeting) {
		o->targeting = mem_zero(sizeof *o->targeting);
		if (targeting_begin(c, o->test, o->targeting, err) < 0)
			return -1;
	}
	*ret = o->targeting;
	return 0;
}

static struct frontier *frontier_of(struct campaign *c, uint32_t program)
{
	struct suite_search *s = c->inside->search;
	struct frontier *f = &s->v[program];
	if (f->strategy)
		return f;
	f->setup = c->inside->strategy_setup;
	f->setup.random += program;
	if (strategy_has_episodes(c->setup->strategy))
		f->setup.graph = c->setup->graph_of(c->setup->opaque, program);
	f->strategy = strategy_new(c->setup->strategy, &f->setup);
	return f;
}

struct strategy *suite_search_strategy(struct campaign *c, const struct work_item *t)
{
	return frontier_of(c, t->program)->strategy;
}

struct work_queue *suite_search_oracle_queue(struct campaign *c, const struct work_item *t)
{
	return &frontier_of(c, t->program)->oracle;
}

bool suite_search_take_oracle(struct campaign *c, struct work_item *ret)
{
	struct suite_search *s = c->inside->search;
	for (uint32_t i = 0; s && i < s->n; i++)
		if (work_queue_take(&s->v[i].oracle, ret))
			return true;
	return false;
}

void suite_search_enter(struct campaign *c, const struct work_item *t, bool soon)
{
	struct suite_search *s = c->inside->search;
	if (!s || tree_set(&s->entered, (uint64_t)t->input, TREE_TAKEN) != TREE_NEW)
		return;
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
	if (!c->inside->search)
		return;
	strategy_seed(frontier_of(c, t->program)->strategy, t->input);
	suite_search_enter(c, &run, true);
}

// --- what the store has ---------------------------------------------------------------------------

struct sweep {
	struct campaign *c;
	bool all;
};

static int take_input(void *opaque, const struct stored_input *in)
{
	const struct sweep *w = opaque;
	const struct suite_search *s = w->c->inside->search;
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
	const struct suite *suite = c->setup->suite;
	c->inside->search->began = true;
	for (size_t i = 0; i < suite->n; i++) // of those that were done before, no path is read
		if (suite->v[i].matched && !suite->v[i].why && suite->v[i].level >= 0)
			suite_search_seed(c, &suite->v[i]);
	return sweep(c, false, err);
}

// --- giving ---------------------------------------------------------------------------------------

static bool has_work(const struct frontier *f)
{
	return f->strategy && (f->oracle.n || f->runs.n || f->later.n || strategy_waiting(f->strategy));
}

// Nobody else is at anything that could lead to more for this program.
static bool is_alone(const struct campaign *c, const struct worker_slot *slot)
{
	for (unsigned i = 0; i < c->inside->n_slots; i++)
		if (&c->inside->slots[i] != slot && c->inside->slots[i].works && c->inside->slots[i].item.search)
			return false;
	return true;
}

static void choose(struct campaign *c, struct worker_slot *slot, uint32_t program)
{
	struct frontier *f = &c->inside->search->v[program];
	slot->n_candidates = strategy_choose(f->strategy, (unsigned)(slot - c->inside->slots), is_alone(c, slot),
	                                     slot->candidates, BATCH, &slot->first);
	if (!slot->n_candidates)
		return;
	if (!slot->first)
		qsort(slot->candidates, slot->n_candidates, sizeof *slot->candidates, campaign_by_event);
	slot->item = (struct work_item){.input = slot->candidates[0].input,
	                                .program = program,
	                                .flags = slot->first ? JOB_FIRST : 0,
	                                .search = true,
	                                .distance = SEARCH_DISTANCE};
}

// slot->works: something was given. 0 and not: nothing is there.
static int give_of(struct campaign *c, struct worker_slot *slot, uint32_t program, struct err *err)
{
	struct frontier *f = &c->inside->search->v[program];
	int r = 1;
	while (r > 0) {
		slot->item = (struct work_item){0};
		slot->n_candidates = 0;
		if (!work_queue_take(&f->oracle, &slot->item) && !work_queue_take(&f->runs, &slot->item))
			choose(c, slot, program);
		if (!slot->item.input && !work_queue_take(&f->later, &slot->item))
			return 0;
		r = campaign_send(c, slot, err);
		if (r > 0) // the input was evicted
			campaign_drop(c, slot);
	}
	return r;
}

// While tests are still amplified there are more inputs every moment; to look through all takes a while.
static bool wants_sweep(const struct campaign *c)
{
	static const double EVERY = 5;
	const struct suite_search *s = c->inside->search;
	bool soon = c->setup->suite->done || campaign_now() - s->swept_at > EVERY;
	return soon && s->swept != c->counts.inputs + 1;
}

int suite_search_give(struct campaign *c, struct worker_slot *slot, struct err *err)
{
	struct suite_search *s = c->inside->search;
	if (!s->began && begin(c, err) < 0)
		return -1;
	bool *can = mem_zero(s->n + 1);
	int r = 0;
	for (uint32_t i = 0; i < s->n; i++)
		can[i] = has_work(&s->v[i]);
	while (r == 0 && !slot->works) {
		bool stays = campaign_now() < slot->search_until && slot->program < s->n && can[slot->program];
		uint32_t next = stays ? slot->program : rotation_next(&s->programs, can);
		if (next == s->n)
			break;
		r = give_of(c, slot, next, err);
		can[next] = slot->works;
		if (slot->works && !stays)
			slot->search_until = campaign_now() + SLICE;
		if (slot->works)
			slot->program = next;
	}
	mem_free(can);
	if (r < 0 || slot->works || !is_alone(c, slot) || !wants_sweep(c))
		return r;
	s->swept = c->counts.inputs + 1; // each input is entered once, so this ends
	s->swept_at = campaign_now();
	return sweep(c, true, err) < 0 ? -1 : suite_search_give(c, slot, err);
}

// --- shares ---------------------------------------------------------------------------------------

double suite_search_leaves(const struct campaign *c)
{
	return c->inside->search ? rotation_share(&c->inside->search->kinds, AMPLIFYING) : 1;
}

bool suite_search_is_next(const struct campaign *c)
{
	return rotation_next(&c->inside->search->kinds, NULL) == SEARCHING;
}

void suite_search_account(struct campaign *c, const struct worker_slot *slot, double worth)
{
	struct suite_search *s = c->inside->search;
	double seconds = campaign_now() - slot->sent;
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
	const struct suite_search *s = c->inside->search;
	bool episodes = strategy_has_episodes(c->setup->strategy); // then the tree has the candidates, of all programs
	size_t n = s && episodes ? c->inside->tree.count[TREE_PENDING] : 0;
	for (uint32_t i = 0; s && i < s->n; i++)
		if (s->v[i].strategy)
			n += (episodes ? 0 : strategy_waiting(s->v[i].strategy)) + s->v[i].runs.n + s->v[i].later.n +
			     s->v[i].oracle.n;
	return n;
}

double suite_search_seconds(const struct campaign *c)
{
	return c->inside->search ? c->inside->search->kinds.v[SEARCHING].seconds : 0;
}
