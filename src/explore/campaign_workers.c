// The coordinator's workers: their processes, the jobs they get, the results they send.
#include <assert.h>
#include <poll.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/mem.h"
#include "explore/driver.h"

// --- processes -----------------------------------------------------------------------------------

static int start_worker(struct campaign *c, struct worker_slot *slot, struct err *err)
{
	const struct worker_setup *w = c->setup->worker;
	campaign_worker_start start = c->setup->worker_start ? c->setup->worker_start : worker_start;
	char *worker_dir =
		mem_printf("%s/%u-%u", c->setup->worker_dirs, campaign_slot_number(c, slot), c->inside->worker_dirs++);
	assert(slot->worker.pid <= 0 && !slot->works);
	int r = file_mkdirs(worker_dir, 0755, err);
	if (r == 0)
		r = start(&slot->worker, w, worker_dir, err);
	mem_free(worker_dir);
	slot->built = 0;
	for (uint32_t k = 0; k < w->n_programs; k++)
		slot->built += w->programs[k].builds;
	return r;
}

// A worker knows the coverage counters of the programs that were built when it was started.
static bool knows_program(const struct campaign *c, const struct worker_slot *slot)
{
	const struct worker_setup *w = c->setup->worker;
	assert(slot->item.program < w->n_programs);
	return !w->programs[slot->item.program].since || slot->built > w->programs[slot->item.program].since;
}

static int have_worker(struct campaign *c, struct worker_slot *slot, struct err *err)
{
	if (slot->worker.pid > 0 && knows_program(c, slot))
		return 0;
	if (slot->worker.pid > 0)
		worker_stop(&slot->worker);
	return start_worker(c, slot, err);
}

void campaign_give_up_candidates(struct campaign *c, const struct worker_slot *slot)
{
	for (uint32_t k = 0; k < slot->n_candidates; k++)
		tree_set(&c->inside->tree, slot->candidates[k].alternative.key, TREE_UNKNOWN);
	c->counts.unknown += slot->n_candidates;
}

static uint64_t since_sent(const struct worker_slot *slot)
{
	return (uint64_t)(1e6 * (campaign_now() - slot->sent));
}

int campaign_replace_worker(struct campaign *c, struct worker_slot *slot, struct err *err)
{
	struct err why = *err;
	if (++c->inside->dead > RESTARTS)
		return -1;
	if (slot->worker.pid > 0)
		worker_stop(&slot->worker);
	c->counts.us_unfinished += slot->works ? since_sent(slot) : 0;
	slot->works = false;
	c->counts.partial += (slot->item.flags & JOB_PATH) != 0;
	campaign_give_up_candidates(c, slot);
	c->setup->driver->lost(c, slot);
	if (start_worker(c, slot, err) < 0) {
		*err = why;
		return -1;
	}
	return 0;
}

void campaign_count_unfinished(struct campaign *c)
{
	for (unsigned i = 0; i < c->inside->n_slots; i++)
		if (c->inside->slots[i].works)
			c->counts.us_unfinished += since_sent(&c->inside->slots[i]);
}

void campaign_stop_workers(struct campaign *c)
{
	struct campaign_inside *in = c->inside;
	struct worker **all = mem_zero(in->n_slots * sizeof *all);
	size_t n = 0;
	for (unsigned i = 0; i < in->n_slots; i++)
		if (in->slots[i].worker.pid > 0)
			all[n++] = &in->slots[i].worker;
	workers_stop(all, n);
	mem_free(all);
}

// --- jobs ----------------------------------------------------------------------------------------

static int by_event(const void *x, const void *y)
{
	const struct candidate *a = x, *b = y;
	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	return a->depth < b->depth ? -1 : a->depth > b->depth;
}

void campaign_sort_candidates(struct worker_slot *slot)
{
	qsort(slot->candidates, slot->n_candidates, sizeof *slot->candidates, by_event);
}

static void add_alternatives(struct campaign *c, const struct worker_slot *slot, struct job *j)
{
	j->alternatives = mem_zero((slot->n_candidates + 1) * sizeof *j->alternatives);
	j->n_alternatives = slot->n_candidates;
	for (uint32_t i = 0; i < slot->n_candidates; i++) {
		const struct candidate *f = &slot->candidates[i];
		struct job_alternative *t = &j->alternatives[i];
		*t = (struct job_alternative){
			.event = f->event, .place = f->place, .effort = f->effort, .alternative = f->alternative};
		const struct tree_values *values =
			f->alternative.op == ALTERNATIVE_OTHER ? tree_find_values(&c->inside->tree, f->place) : NULL;
		if (!values)
			continue;
		t->n_known = values->n;
		t->known = (uint64_t *)mem_copy(values->v, values->n * sizeof *values->v);
	}
}

static void add_wanted(const struct campaign *c, struct job *j)
{
	const struct campaign_inside *in = c->inside;
	j->wanted = mem_zero((in->n_new_bugs + 1) * sizeof *j->wanted);
	for (size_t i = 0; i < in->n_new_bugs; i++)
		if (in->new_bugs[i].input == (int64_t)j->id)
			j->wanted[j->n_wanted++] = in->new_bugs[i].key;
}

// What the job says of the item, its input and the driver. 1: evicted. *j is to be released in any case.
static int fill_job(struct campaign *c, struct worker_slot *slot, struct job *j, struct err *err)
{
	const struct driver *d = c->setup->driver;
	struct work_item *item = &slot->item;
	struct stored_input s;
	*j = (struct job){.id = (uint64_t)item->input,
	                  .program = item->program,
	                  .flags = item->flags,
	                  .milliseconds = item->milliseconds,
	                  .run_ms = item->run_ms,
	                  .round = item->round,
	                  .expect = item->expect,
	                  .care_us = campaign_limit_care(c, item)};
	int r = campaign_fetch_input(c, item->input, &s, &j->input, err);
	if (r != 0)
		return r;
	r = d->fill ? d->fill(c, slot, &s, j, err) : 0;
	stored_input_release(&s);
	if (r < 0)
		return -1;
	j->snapshot = item->snapshot;
	if (j->snapshot && store_get_snapshot(c->setup->store, j->snapshot, &j->around, err) < 0)
		return -1;
	if (!item->seed)
		item->seed = campaign_seed_of(c, item->input);
	if (j->flags & JOB_MINIMISE) {
		add_wanted(c, j);
		r = campaign_fetch_input(c, item->seed, &s, &j->seed, err);
		if (r != 0)
			return r;
		stored_input_release(&s);
	}
	add_alternatives(c, slot, j);
	return 0;
}

int campaign_send(struct campaign *c, struct worker_slot *slot, struct err *err)
{
	struct job j;
	assert(!slot->works && slot->item.input && slot->n_candidates <= BATCH);
	int r = fill_job(c, slot, &j, err);
	if (r == 0)
		r = have_worker(c, slot, err);
	if (r == 0)
		r = job_send(slot->worker.fd, &j, err);
	job_release(&j);
	slot->works = r == 0;
	slot->sent = campaign_now();
	return r;
}

int campaign_give_job(struct campaign *c, struct worker_slot *slot, struct err *err)
{
	const struct driver *d = c->setup->driver;
	while (!slot->works && !campaign_is_stopped(c)) {
		slot->item = (struct work_item){0};
		slot->n_candidates = 0;
		slot->first = false;
		int r = d->choose(c, slot, err);
		if (r <= 0)
			return r;
		r = campaign_send(c, slot, err);
		if (r < 0 || (r > 0 && d->evicted(c, slot, err) < 0))
			return -1;
	}
	return 0;
}

// --- results -------------------------------------------------------------------------------------

static int take_result(struct campaign *c, struct worker_slot *slot, struct result *r, struct err *err)
{
	if (r->failed)
		return err_set(err, "%s", r->failed);
	assert(slot->item.input && !slot->works);
	c->counts.us_run += r->us_run;
	c->counts.us_read += r->us_read;
	c->counts.us_solve += r->us_solve;
	c->counts.us_oracle += r->us_oracle;
	c->counts.us_care += r->us_care;
	c->counts.us_match += r->us_match;
	uint64_t since = since_sent(slot);
	c->counts.us_jobs += r->us_job;
	c->counts.us_waiting += since > r->us_job ? since - r->us_job : 0;
	if (campaign_begin(c, err) < 0 || c->setup->driver->take(c, slot, r, err) < 0) {
		c->inside->n_announced = 0; // they point into the result
		return -1;
	}
	return campaign_announce(c, err);
}

int campaign_wait_for_results(struct campaign *c, struct err *err)
{
	enum { WAIT_MS = 250 };
	struct campaign_inside *in = c->inside;
	assert(in->n_slots > 0 && !c->inside->n_announced);
	struct pollfd *fds = mem_zero(in->n_slots * sizeof *fds);
	for (unsigned i = 0; i < in->n_slots; i++)
		fds[i] = (struct pollfd){.fd = in->slots[i].works ? in->slots[i].worker.fd : -1, .events = POLLIN};
	int n = poll(fds, in->n_slots, WAIT_MS), r = 0;
	for (unsigned i = 0; n > 0 && r == 0 && i < in->n_slots; i++) {
		struct result result;
		if (!fds[i].revents)
			continue;
		if (result_receive(in->slots[i].worker.fd, &result, err) < 0) {
			r = campaign_replace_worker(c, &in->slots[i], err);
			continue;
		}
		in->slots[i].works = false;
		r = take_result(c, &in->slots[i], &result, err);
		result_release(&result);
	}
	mem_free(fds);
	return r;
}
