// Findings: what becomes of the oracle's verdicts.
#include <assert.h>

#include "base/mem.h"
#include "explore/driver.h"

static void add_announced(struct campaign *c, const struct stored_finding *f, const struct result_verdict *v,
                          int64_t snapshot)
{
	struct campaign_inside *in = c->inside;
	in->announced = mem_resize(in->announced, (in->n_announced + 1) * sizeof *in->announced);
	in->announced[in->n_announced++] = (struct announced){.finding = *f, .of = v, .snapshot = snapshot};
}

static int add_finding(struct campaign *c, const struct work_item *t, const struct result_verdict *v, struct err *err)
{
	struct stored_input s = {.parent = t->input, .changed = -1, .care = -1, .snapshot = t->snapshot};
	bool known;
	assert(v->verdict.level > LEVEL_NONE && v->verdict.level <= LEVEL_ERROR);
	if (campaign_add_input(c, &v->input, &s, &known, err) < 0)
		return -1;
	struct stored_finding f = {.kind = v->verdict.kind,
	                           .level = v->verdict.level,
	                           .program = (char *)c->setup->worker->programs[t->program].target.program,
	                           .file = v->verdict.file,
	                           .function = v->verdict.function,
	                           .stack = v->verdict.stack,
	                           .report = v->verdict.report,
	                           .line = v->verdict.line,
	                           .distance = t->distance,
	                           .depth = t->depth,
	                           .changed = v->changed,
	                           .care = v->care,
	                           .input = s.id,
	                           .seed = t->seed,
	                           .key = v->verdict.key};
	// The minimised input has a path of its own. A solution with the same bytes would not be run: it is known.
	const struct work_item run = {
		.input = s.id, .seed = t->seed, .flags = JOB_PATH, .program = t->program, .snapshot = t->snapshot};
	c->setup->driver->add(c, t, &run, known);
	if (store_add_finding(c->setup->store, &f, &known, err) < 0)
		return -1;
	if (known)
		return 0;
	c->counts.errors += v->verdict.level == LEVEL_ERROR;
	c->counts.warnings += v->verdict.level == LEVEL_WARNING;
	c->counts.resources += v->verdict.level == LEVEL_RESOURCE;
	if (c->setup->found)
		add_announced(c, &f, v, t->snapshot);
	return 0;
}

static void add_new_bug(struct campaign *c, int64_t input, uint64_t key)
{
	struct campaign_inside *in = c->inside;
	in->new_bugs = mem_resize(in->new_bugs, (in->n_new_bugs + 1) * sizeof *in->new_bugs);
	in->new_bugs[in->n_new_bugs++] = (struct new_bug){input, key};
}

// Enters a bug. *ret_again: it is new, so the input is to be minimised.
static int take_verdict(struct campaign *c, const struct work_item *t, const struct result_verdict *v, bool *ret_again,
                        struct err *err)
{
	const struct driver *d = c->setup->driver;
	uint64_t key = v->verdict.key;
	if (tree_get(&c->inside->known_bugs, key) == TREE_TAKEN)
		return d->seen_again ? d->seen_again(c, t, key, err) : 0;
	if (!(t->flags & JOB_MINIMISE)) {
		if (tree_set(&c->inside->known_bugs, key, TREE_PENDING) == TREE_NEW) {
			add_new_bug(c, t->input, key);
			*ret_again = true;
		}
		return 0;
	}
	tree_set(&c->inside->known_bugs, key, TREE_TAKEN);
	return add_finding(c, t, v, err);
}

int campaign_take_verdicts(struct campaign *c, struct worker_slot *slot, const struct result *r,
                           struct work_queue *again, struct err *err)
{
	const struct work_item *t = &slot->item;
	bool is_new = false;
	assert(t->flags & JOB_ORACLE && t->input > 0);
	c->counts.oracle_runs++;
	for (uint32_t i = 0; i < r->n_verdicts; i++)
		if (take_verdict(c, t, &r->verdicts[i], &is_new, err) < 0)
			return -1;
	if (!is_new)
		return campaign_finish_input(c, t->input, err);
	struct work_item minimise = *t;
	minimise.flags = JOB_ORACLE | JOB_MINIMISE;
	if (campaign_wants_care(c, t->input))
		minimise.flags |= JOB_CARE;
	work_queue_add(again, &minimise);
	return 0;
}

// The report of a finding, with its number, holds whatever becomes of this process: so the store has the finding first.
int campaign_announce(struct campaign *c, struct err *err)
{
	struct campaign_inside *in = c->inside;
	int r = in->n_announced ? campaign_commit_midway(c, err) : 0;
	for (size_t i = 0; r == 0 && i < in->n_announced; i++) {
		const struct announced *a = &in->announced[i];
		r = c->setup->found(c->setup->opaque, &a->finding, &a->of->verdict, &a->of->input, a->snapshot, err);
	}
	in->n_announced = 0;
	return r;
}

static int know(void *opaque, const struct stored_finding *f)
{
	struct campaign *c = opaque;
	tree_set(&c->inside->known_bugs, f->key, TREE_TAKEN);
	return 0;
}

int campaign_load_findings(struct campaign *c, struct err *err)
{
	return store_each_finding(c->setup->store, know, c, err);
}

// --- when there is nothing else to do ------------------------------------------------------------

void campaign_queue_idle(struct campaign *c, const struct work_item *t, const struct result *r)
{
	enum { IDLE_MAX = 1 << 20 };
	struct work_item item = *t;
	item.flags = JOB_ORACLE;
	item.expect = 0;
	bool is_new = r->path && tree_set(&c->inside->paths, r->path, TREE_TAKEN) == TREE_NEW;
	c->counts.paths += is_new;
	if (is_new && c->inside->idle.n < IDLE_MAX)
		work_queue_add(&c->inside->idle, &item);
}

bool campaign_take_idle(struct campaign *c, struct work_item *ret)
{
	while (work_queue_take(&c->inside->idle, ret))
		if (tree_get(&c->inside->oracle_saw, (uint64_t)ret->input) == TREE_NEW)
			return true;
	*ret = (struct work_item){0};
	return false;
}
