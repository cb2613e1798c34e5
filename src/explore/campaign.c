// The coordinator's main loop, its clock, and what it loads and releases. What only drivers know is in driver.h.
#include "explore/campaign.h"

#include <assert.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/process.h"
#include "explore/driver.h"

double campaign_now(void)
{
	return clock_seconds();
}

// --- what earlier sessions left ------------------------------------------------------------------

static int take_stored_flip(void *opaque, const struct stored_flip *f)
{
	static const enum tree_state states[] = {TREE_PENDING, TREE_SAT, TREE_UNSAT, TREE_UNKNOWN};
	struct campaign *c = opaque;
	if (f->answer <= FLIP_UNKNOWN)
		tree_set(&c->inside->tree, f->path, states[f->answer]);
	return 0;
}

static int take_stored_cover(void *opaque, uint64_t unit, const uint8_t *bytes, size_t n)
{
	struct campaign *c = opaque;
	cover_restore(c->setup->cover, unit, bytes, n);
	return 0;
}

// Answers of earlier sessions are in the tree, so no query is issued twice.
static int load(struct campaign *c, struct err *err)
{
	struct store *s = c->setup->store;
	campaign_load_checked(c);
	if (store_each_flip(s, take_stored_flip, c, err) < 0 || store_each_cover(s, take_stored_cover, c, err) < 0)
		return -1;
	return c->setup->driver->load(c, err);
}

// The commit writes the first row of progress, also when there are no seeds.
static int seed(struct campaign *c, struct err *err)
{
	const struct driver *d = c->setup->driver;
	if (campaign_begin(c, err) < 0 || (d->seed && d->seed(c, err) < 0))
		return -1;
	return campaign_commit(c, err);
}

// --- time ----------------------------------------------------------------------------------------

bool campaign_is_stopped(const struct campaign *c)
{
	return c->setup->stop && *c->setup->stop;
}

static bool is_over(const struct campaign *c)
{
	return campaign_is_stopped(c) || (c->setup->seconds > 0 && c->elapsed >= c->setup->seconds) ||
	       (c->setup->runs && c->counts.runs >= c->setup->runs);
}

double campaign_clock(const struct campaign *c)
{
	return c->setup->cpu ? c->elapsed / c->inside->n_slots : campaign_now();
}

static void read_clock(struct campaign *c)
{
	struct campaign_inside *in = c->inside;
	double now = campaign_now();
	c->wall = now - in->started;
	if (!c->setup->cpu) {
		c->elapsed = c->wall;
	} else if (now - in->cpu_looked > 0.05) {
		double cpu = process_cpu(getpid()) - in->cpu_before; // that of a worker which was replaced may be lost
		c->elapsed = cpu > c->elapsed ? cpu : c->elapsed;
		in->cpu_looked = campaign_now();
	}
}

// --- the loop ------------------------------------------------------------------------------------

// *ret_any: some worker has a job, or may get one in the next round.
static int give_jobs(struct campaign *c, bool *ret_any, struct err *err)
{
	*ret_any = false;
	for (unsigned i = 0; i < c->inside->n_slots && !campaign_is_stopped(c); i++) { // starting a worker takes long
		struct worker_slot *slot = &c->inside->slots[i];
		if (!slot->works && campaign_give_job(c, slot, err) < 0) {
			if (campaign_replace_worker(c, slot, err) < 0)
				return -1;
			*ret_any = true; // there may be a job for the new worker
		}
		*ret_any |= slot->works;
	}
	return 0;
}

static void report_progress(struct campaign *c)
{
	static const double EVERY = 0.5;
	if (!c->setup->progress || campaign_now() - c->inside->reported <= EVERY)
		return;
	c->setup->progress(c->setup->opaque, c);
	c->inside->reported = campaign_now();
}

static int take_results(struct campaign *c, struct err *err)
{
	static const double COMMIT_EVERY = 1;
	int r = campaign_wait_for_results(c, err);
	read_clock(c);
	c->setup->driver->measure(c);
	if (r == 0 && campaign_now() - c->inside->committed > COMMIT_EVERY)
		r = campaign_commit_midway(c, err);
	report_progress(c);
	return r;
}

// Until the budget is used up or nothing is left to do. *ret_any: there was something to do in the end.
static int loop(struct campaign *c, bool *ret_any, struct err *err)
{
	const struct driver *d = c->setup->driver;
	while (!is_over(c)) {
		if ((d->poll && d->poll(c, err) < 0) || give_jobs(c, ret_any, err) < 0)
			return -1;
		if (!*ret_any && !(d->waits && d->waits(c)))
			return 0;
		if (take_results(c, err) < 0)
			return -1;
	}
	return 0;
}

bool campaign_is_whole(const struct campaign *c)
{
	const struct tree *t = &c->inside->tree;
	return !t->count[TREE_UNKNOWN] && !t->count[TREE_SAT] && !c->counts.partial && !t->full && !c->counts.differing;
}

static bool is_complete(const struct campaign *c)
{
	const struct driver *d = c->setup->driver;
	return campaign_is_whole(c) && (!d->is_complete || d->is_complete(c));
}

static int explore(struct campaign *c, struct err *err)
{
	struct campaign_inside *in = c->inside;
	bool any = true;
	int r = loop(c, &any, err);
	if (r == 0 && any)
		r = campaign_finish_pending(c, err);
	if (c->setup->driver->end)
		c->setup->driver->end(c);
	c->tree_full = in->tree.full;
	c->missed = in->tree.count[TREE_SAT];
	c->uncared = in->care.count[TREE_PENDING];
	c->complete = r == 0 && !any && is_complete(c);
	return r;
}

// --- a session -----------------------------------------------------------------------------------

static struct campaign_inside *new_inside(const struct campaign_setup *setup)
{
	enum { KEYS = 1 << 22, TREE_KEYS = 1 << 24, BUGS = 1 << 20 };
	struct campaign_inside *in = mem_zero(sizeof *in);
	tree_init(&in->tree, setup->tree_max ? setup->tree_max : TREE_KEYS);
	tree_init(&in->edges, KEYS);
	tree_init(&in->known_bugs, BUGS);
	tree_init(&in->paths, KEYS);
	tree_init(&in->oracle_saw, KEYS);
	tree_init(&in->care, KEYS);
	in->n_slots = setup->jobs ? setup->jobs : 1;
	in->slots = mem_zero(in->n_slots * sizeof *in->slots);
	in->committed = campaign_now();
	in->started = setup->began > 0 ? setup->began : in->committed;
	in->cpu_before = setup->cpu ? process_cpu(getpid()) : 0;
	return in;
}

static void release(struct campaign *c)
{
	struct campaign_inside *in = c->inside;
	assert(!in->in_transaction && !in->n_announced);
	campaign_stop_workers(c);
	c->setup->driver->release(c);
	work_queue_clear(&in->oracle);
	work_queue_clear(&in->idle);
	work_queue_clear(&in->cares);
	tree_release(&in->tree);
	tree_release(&in->edges);
	tree_release(&in->known_bugs);
	tree_release(&in->paths);
	tree_release(&in->oracle_saw);
	tree_release(&in->care);
	buf_release(&in->checked);
	mem_free(in->first_difference);
	mem_free(in->announced);
	mem_free(in->new_bugs);
	mem_free(in->slots);
	mem_free(in);
	c->inside = NULL;
}

int campaign_run(struct campaign *c, const struct campaign_setup *setup, struct err *err)
{
	struct err ignored;
	assert(setup->driver && setup->store && setup->worker && setup->cover);
	*c = (struct campaign){.setup = setup, .inside = new_inside(setup), .first_session = true};
	setup->driver->start(c);
	int r = load(c, err);
	if (r == 0)
		r = seed(c, err);
	if (r == 0)
		r = explore(c, err);
	read_clock(c);
	campaign_count_unfinished(c);
	if (r == 0)
		r = campaign_begin(c, err) < 0 ? -1 : campaign_store_pending(c, err);
	if (campaign_commit(c, r == 0 ? err : &ignored) < 0)
		r = -1;
	assert(!c->inside->in_transaction);
	release(c);
	return r;
}
