#include "explore/mutation.h"

#include <assert.h>

#include "base/mem.h"
#include "explore/driver.h"

enum {
	ENTRIES = 4096,
	SLICE_MS = 200,
	RUNS = 256,           // of a job, when no clock ends it
	RUNS_TIMED = 1 << 20, // when one does
	SHARE = 20,           // of workers' time, a twentieth while there are candidates
	STALLED = 3,          // likewise, while nothing new is covered
	PATIENCE = 5,         // for a fifth of the time so far
};

void mutation_init(struct mutation *m)
{
	*m = (struct mutation){0};
	tree_init(&m->inputs, ENTRIES);
	tree_init(&m->edges, 1 << 16);
}

void mutation_release(struct mutation *m)
{
	vec_release(&m->entries);
	tree_release(&m->inputs);
	tree_release(&m->edges);
}

static void add(struct mutation *m, const struct work_item *t, const struct candidate *f)
{
	if (m->entries.n >= ENTRIES)
		return;
	struct mutation_entry e = {.item = *t};
	e.item.flags = JOB_MUTATE;
	e.item.expect = 0;
	e.item.violating = false;
	if (f)
		e.open = *f;
	m->n_open += f != NULL;
	vec_push(&m->entries, e);
}

void mutation_add(struct mutation *m, const struct work_item *t)
{
	assert(t->input > 0);
	if (tree_set(&m->inputs, (uint64_t)t->input, TREE_TAKEN) == TREE_NEW)
		add(m, t, NULL);
}

void mutation_open(struct mutation *m, const struct work_item *t, const struct candidate *f)
{
	assert(t->input > 0);
	if (tree_set(&m->edges, f->alternative.edge, TREE_TAKEN) == TREE_NEW)
		add(m, t, f);
}

void mutation_note(struct mutation *m, double elapsed)
{
	m->news = elapsed;
}

static bool is_stalled(const struct mutation *m, const struct campaign *c)
{
	static const double LEAST = 1;
	double since = c->elapsed - m->news;
	return since > LEAST && since * PATIENCE > c->elapsed;
}

bool mutation_is_due(const struct mutation *m, const struct campaign *c)
{
	if (c->setup->deterministic || c->setup->runs || !m->entries.n) // a budget of runs is the solver's first
		return false;
	if (is_stalled(m, c))
		return m->us * STALLED < c->counts.us_jobs;
	return m->n_open && m->us * SHARE < c->counts.us_jobs;
}

// Some run took the branch edge meanwhile.
static bool is_settled(const struct campaign *c, const struct candidate *f)
{
	return f->input && f->alternative.op != ALTERNATIVE_VIOLATE &&
	       tree_get(&c->inside->edges, f->alternative.edge) == TREE_TAKEN;
}

bool mutation_choose(struct mutation *m, struct campaign *c, struct worker_slot *slot)
{
	for (size_t tried = 0; tried < m->entries.n; tried++) {
		struct mutation_entry *e = &m->entries.v[m->next++ % m->entries.n];
		if (is_settled(c, &e->open)) { // the input stays, without it
			m->n_open--;
			e->open.input = 0;
		}
		slot->item = e->item;
		slot->item.round = e->round;
		slot->item.milliseconds = c->setup->deterministic ? 0 : SLICE_MS;
		slot->item.entry = (uint32_t)(e - m->entries.v);
		slot->n_candidates = e->open.input != 0;
		slot->candidates[0] = e->open;
		return true;
	}
	return false;
}

uint32_t mutation_runs(const struct campaign *c)
{
	uint64_t most = c->setup->deterministic ? RUNS : RUNS_TIMED;
	uint64_t left = c->setup->runs > c->counts.runs ? c->setup->runs - c->counts.runs : 1;
	return (uint32_t)(c->setup->runs && left < most ? left : most);
}

static int add_mutant(struct campaign *c, const struct work_item *t, const struct input *in, struct err *err)
{
	struct stored_input s = {.parent = t->input, .changed = -1, .care = -1, .snapshot = t->snapshot};
	bool known;
	if (campaign_add_input(c, in, &s, &known, err) < 0)
		return -1;
	// A crash is for the oracle, whatever it covers.
	const struct work_item run = {.input = s.id,
	                              .seed = t->seed,
	                              .flags = JOB_PATH,
	                              .program = t->program,
	                              .snapshot = t->snapshot,
	                              .search = t->search};
	c->setup->driver->add(c, t, &run, known);
	return 0;
}

int mutation_take(struct mutation *m, struct campaign *c, struct worker_slot *slot, const struct result *r,
                  struct err *err)
{
	const struct work_item *t = &slot->item;
	assert(t->flags & JOB_MUTATE && t->entry < m->entries.n);
	m->entries.v[t->entry].round += r->mutated;
	m->us += r->us_job;
	c->counts.runs += r->mutated;
	c->counts.mutated += r->mutated;
	for (uint32_t i = 0; i < r->n_mutants; i++)
		if (add_mutant(c, t, &r->mutants[i].input, err) < 0)
			return -1;
	return 0;
}
