#include "explore/lifting.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "explore/driver.h"
#include "input/fragment.h"

enum { MOST_RUNS = 200, MOST_CALLING = 24 }; // whole runs of each finding that are tried, and of those that call

struct lifted {
	uint64_t key;
	int64_t id, input;
	char *file, *kind, *stack;
	uint32_t line, fragment;
	struct possible record;
	size_t next;      // of the whole runs' inputs
	bool busy, fails; // a worker is at it; or cannot do it
	bool promoted;
	bool enters; // at the function's beginning: whole runs can be asked
};

void lifting_init(struct lifting *l, const struct lifting_setup *setup)
{
	*l = (struct lifting){.setup = *setup};
}

void lifting_release(struct lifting *l)
{
	for (size_t i = 0; i < l->n; i++) {
		mem_free(l->v[i].file);
		mem_free(l->v[i].kind);
		mem_free(l->v[i].stack);
		possible_release(&l->v[i].record);
	}
	mem_free(l->v);
	mem_free(l->whole);
	possible_errors_free(l->errors);
	*l = (struct lifting){0};
}

void lifting_add_input(struct lifting *l, int64_t input)
{
	for (size_t i = l->n_whole; i-- > 0;)
		if (l->whole[i] == input)
			return;
	vec_room(l->whole, l->n_whole + 1, l->whole_max);
	l->whole[l->n_whole++] = input;
}

static struct lifted *find(struct lifting *l, uint64_t key)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].key == key)
			return &l->v[i];
	return NULL;
}

// --- findings -------------------------------------------------------------------------------------

static int add_finding(void *opaque, const struct stored_finding *f)
{
	struct lifting *l = opaque;
	if (f->level != LEVEL_POSSIBLE || find(l, f->key))
		return 0;
	vec_push(l, ((struct lifted){.key = f->key,
	                             .id = f->id,
	                             .input = f->input,
	                             .file = mem_strdup(f->file ? f->file : ""),
	                             .kind = mem_strdup(f->kind),
	                             .stack = mem_strdup(f->stack ? f->stack : ""),
	                             .line = f->line,
	                             .fragment = UINT32_MAX}));
	return 0;
}

// What its input enters, and what earlier sessions know of it.
static void begin(struct lifting *l, struct campaign *c, struct lifted *f)
{
	struct stored_input s;
	struct input in;
	struct fragment entered;
	struct err err;
	f->fails = campaign_fetch_input(c, f->input, &s, &in, &err) != 0;
	if (f->fails)
		return;
	possible_read(c->setup->store, f->key, &f->record);
	f->fails = !fragment_of(&in, &entered);
	f->fragment = l->setup.fragment(l->setup.opaque, fragment_name(&in));
	f->enters = !f->fails && entered.marker == 0;
	while (f->next < l->n_whole && l->whole[f->next] <= f->record.last)
		f->next++;
	stored_input_release(&s);
	input_release(&in);
}

int lifting_update(struct lifting *l, struct campaign *c, struct err *err)
{
	size_t had = l->n;
	possible_errors_free(l->errors);
	l->errors = possible_errors_read(c->setup->store, err);
	if (!l->errors || store_each_finding(c->setup->store, add_finding, l, err) < 0)
		return -1;
	for (size_t i = had; i < l->n; i++)
		begin(l, c, &l->v[i]);
	for (size_t i = 0; i < l->n; i++) {
		const struct stored_finding f = {
			.level = LEVEL_POSSIBLE, .kind = l->v[i].kind, .file = l->v[i].file, .line = l->v[i].line};
		l->v[i].promoted |= possible_promoted(l->errors, &f) != 0;
	}
	return 0;
}

// --- choosing -------------------------------------------------------------------------------------

static bool is_assessed(const struct lifted *f)
{
	return f->record.assessed || f->fails;
}

static bool has_more(const struct lifting *l, const struct lifted *f)
{
	return f->record.assessed && !f->fails && f->enters && !f->promoted && f->next < l->n_whole &&
	       f->record.runs < MOST_RUNS && f->record.called < MOST_CALLING;
}

static void choose(struct lifted *f, int64_t input, uint32_t flags, struct work_item *ret)
{
	assert(!f->busy && input > 0);
	f->busy = true;
	*ret = (struct work_item){.input = input,
	                          .flags = flags,
	                          .known = f->key,
	                          .fragment = f->fragment == UINT32_MAX ? 0 : f->fragment};
}

bool lifting_choose(struct lifting *l, bool lifts, struct work_item *ret)
{
	struct lifted *best = NULL;
	for (size_t i = 0; i < l->n; i++) {
		struct lifted *f = &l->v[i];
		if (!f->busy && !is_assessed(f)) {
			choose(f, f->input, JOB_PRECONDITION, ret);
			return true;
		}
		if (lifts && !f->busy && has_more(l, f) && (!best || f->record.runs < best->record.runs))
			best = f; // each in turn
	}
	if (best)
		choose(best, l->whole[best->next], JOB_LIFT, ret);
	return best;
}

int lifting_fill(struct lifting *l, struct campaign *c, const struct work_item *item, struct job *j, struct err *err)
{
	struct lifted *f = find(l, item->known);
	struct stored_input s;
	assert(f && f->busy);
	j->file = mem_strdup(f->file);
	j->stack = mem_strdup(f->stack);
	j->line = f->line;
	if (!(item->flags & JOB_LIFT))
		return 0;
	int r = campaign_fetch_input(c, f->input, &s, &j->seed, err);
	if (r == 0)
		stored_input_release(&s);
	return r > 0 ? err_set(err, "the input of a finding is not in the store") : r;
}

// --- results --------------------------------------------------------------------------------------

static int take_precondition(struct lifting *l, struct lifted *f, const struct result *r, struct err *err)
{
	const struct possible_evidence e = {.kind = f->kind,
	                                    .whole = &r->whole,
	                                    .masks = &r->masks,
	                                    .relevant = r->facts & FACT_RELEVANT,
	                                    .subject = r->facts & FACT_SUBJECT,
	                                    .unchecked = r->facts & FACT_UNCHECKED,
	                                    .beyond = r->facts & FACT_BEYOND};
	f->fails = l->setup.assess(l->setup.assess_opaque, &e, &f->record, err) < 0;
	return 0;
}

// A solution is a whole run's input like any: it runs, and the oracle sees it.
static int add_solution(struct lifting *l, struct campaign *c, const struct work_item *item,
                        const struct result_answer *a, struct err *err)
{
	struct stored_input s = {.parent = item->input, .changed = (int32_t)a->changed, .care = -1};
	bool known;
	if (campaign_add_input(c, &a->input, &s, &known, err) < 0)
		return -1;
	uint32_t whole = l->setup.fragment(l->setup.opaque, 0);
	struct work_item t = {.input = s.id,
	                      .seed = campaign_seed_of(c, s.id),
	                      .violating = true,
	                      .flags = JOB_PATH,
	                      .fragment = whole == UINT32_MAX ? item->fragment : whole};
	const struct work_item from = {.input = item->input, .fragment = t.fragment};
	if (whole != UINT32_MAX)
		c->setup->driver->add(c, &from, &t, known);
	t.flags = JOB_ORACLE;
	if (tree_get(&c->inside->oracle_saw, (uint64_t)s.id) == TREE_NEW)
		work_queue_add(&c->inside->oracle, &t);
	return 0;
}

static int take_lift(struct lifting *l, struct campaign *c, struct lifted *f, const struct work_item *item,
                     const struct result *r, struct err *err)
{
	assert(f->next < l->n_whole && l->whole[f->next] == item->input);
	f->record.runs++;
	f->record.called += r->calls > 0;
	f->record.calls += r->calls;
	f->record.refuted += r->refuted;
	f->record.solved += r->n_answers;
	f->record.last = item->input;
	f->next++;
	for (uint32_t i = 0; i < r->n_answers; i++)
		if (add_solution(l, c, item, &r->answers[i], err) < 0)
			return -1;
	return 0;
}

int lifting_take(struct lifting *l, struct campaign *c, const struct work_item *item, const struct result *r,
                 struct err *err)
{
	struct lifted *f = find(l, item->known);
	assert(f && f->busy);
	f->busy = false;
	l->us += r->us_run + r->us_solve;
	if ((item->flags & JOB_LIFT ? take_lift(l, c, f, item, r, err) : take_precondition(l, f, r, err)) < 0)
		return -1;
	f->record.lifts = f->enters && l->n_whole > 0;
	f->record.tried = f->record.assessed && f->record.lifts && !has_more(l, f);
	return f->record.assessed ? possible_write(c->setup->store, f->key, &f->record, err) : 0;
}

void lifting_lost(struct lifting *l, const struct work_item *item)
{
	struct lifted *f = find(l, item->known);
	if (!f)
		return;
	f->busy = false;
	f->fails |= !(item->flags & JOB_LIFT);
	f->next += (item->flags & JOB_LIFT) != 0;
	f->record.runs += (item->flags & JOB_LIFT) != 0;
}
