#include "explore/campaign.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/process.h"
#include "explore/amplify.h"
#include "explore/campaign_internal.h"
#include "explore/suite_search.h"
#include "explore/tree.h"

double campaign_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// --- the store ------------------------------------------------------------------------------------

static int begin(struct campaign *c, struct err *err)
{
	if (c->inside->in_transaction)
		return 0;
	if (store_begin(c->setup->store, err) < 0)
		return -1;
	c->inside->in_transaction = true;
	return 0;
}

static int store_counts(struct campaign *c, struct err *err)
{
	struct campaign_counts *now = &c->counts, *was = &c->inside->stored;
	const struct {
		const char *name;
		uint64_t now, was;
	} all[] = {
#define COUNT(field) {#field, now->field, was->field}
		COUNT(runs),    COUNT(queries),  COUNT(sat),       COUNT(unsat),    COUNT(unknown),     COUNT(expected),
		COUNT(checks),  COUNT(diverged), COUNT(crashes),   COUNT(timeouts), COUNT(oracle_runs), COUNT(us_run),
		COUNT(us_read), COUNT(us_solve), COUNT(us_oracle), COUNT(us_store), COUNT(us_care),     COUNT(care),
		COUNT(care_of), COUNT(cared),    COUNT(matched),   COUNT(skipped),  COUNT(searched),
#undef COUNT
	};
	if (store_count(c->setup->store, "checks.total", (int64_t)(now->checks - was->checks), err) < 0 ||
	    store_count(c->setup->store, "checks.unique", (int64_t)(now->checks_unique - was->checks_unique), err) < 0)
		return -1;
	if (now->checks_unique != was->checks_unique &&
	    store_set(c->setup->store, "checked", c->inside->checked.data, c->inside->checked.len, err) < 0)
		return -1;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].now != all[i].was &&
		    store_count(c->setup->store, all[i].name, (int64_t)(all[i].now - all[i].was), err) < 0)
			return -1;
	*was = *now;
	return 0;
}

static int commit(struct campaign *c, struct err *err)
{
	if (!c->inside->in_transaction)
		return 0;
	double from = campaign_now();
	struct cover_totals totals = cover_totals(c->setup->cover);
	int r = store_counts(c, err);
	if (r == 0)
		r = store_add_progress(c->setup->store, c->elapsed, (int64_t)c->counts.runs, totals.edges.covered,
		                       totals.lines.covered, err);
	if (r == 0)
		r = store_commit(c->setup->store, err);
	c->inside->in_transaction = false;
	c->inside->committed = campaign_now();
	c->counts.us_store += (uint64_t)(1e6 * (campaign_now() - from));
	return r;
}

// 1: its bytes were let go, since the store is full.
static int fetch(struct campaign *c, int64_t id, struct stored_input *ret, struct input *ret_input, struct err *err)
{
	if (store_get_input(c->setup->store, id, ret, err) < 0)
		return -1;
	if (!ret->data.len) {
		stored_input_release(ret);
		return 1;
	}
	int r = input_decode(ret_input, ret->data.data, ret->data.len, err);
	if (r < 0)
		stored_input_release(ret);
	return r;
}

// Stores an input that was not there before, and says so.
int campaign_add_input(struct campaign *c, const struct input *in, struct stored_input *s, bool *ret_known,
                       struct err *err)
{
	input_encode(in, &s->data);
	s->hash = input_hash(in);
	int r = store_add_input(c->setup->store, s, ret_known, err);
	buf_release(&s->data);
	if (r == 0)
		c->counts.inputs += !*ret_known;
	return r;
}

// --- workers --------------------------------------------------------------------------------------

struct strategy *campaign_strategy(struct campaign *c, const struct work_item *t)
{
	return t->search ? suite_search_strategy(c, t) : c->inside->strategy;
}

static int take_answers(struct campaign *c, struct worker_slot *slot, const struct result *r, struct err *err)
{
	struct strategy *s = campaign_strategy(c, &slot->item);
	unsigned number = (unsigned)(slot - c->inside->slots);
	struct taken taken;
	for (uint32_t i = 0; i < slot->n_candidates && i < r->n_answers; i++) {
		if (campaign_take_answer(c, &slot->item, &slot->candidates[i], &r->answers[i], &taken, err) < 0)
			return -1;
		strategy_answer(s, number, i, slot->candidates[i].alternative.key, taken.input);
	}
	if (slot->n_candidates)
		strategy_answered(s, number, r);
	return 0;
}

int campaign_take_search(struct campaign *c, struct worker_slot *slot, struct result *r, struct err *err)
{
	const struct work_item *t = &slot->item;
	if (campaign_is_other(c, t, r))
		return campaign_finish_input(c, t->input, err);
	if ((t->flags & JOB_PATH) && campaign_take_run(c, t, r, err) < 0)
		return -1;
	if (t->flags & JOB_PATH)
		campaign_queue_idle(c, t, r);
	if (t->flags & JOB_ORACLE)
		tree_set(&c->inside->looked, (uint64_t)t->input, TREE_TAKEN);
	if (take_answers(c, slot, r, err) < 0)
		return -1;
	if (campaign_take_care(c, t, r, err) < 0) // before a finding says what is known
		return -1;
	return t->flags & JOB_ORACLE ? campaign_take_verdicts(c, slot, r, err) : 0;
}

// What is said of a finding, and its number, holds whatever becomes of this process: so it is in the store before.
static int announce(struct campaign *c, struct err *err)
{
	struct campaign_inside *in = c->inside;
	int r = in->n_announced ? commit(c, err) : 0;
	for (size_t i = 0; r == 0 && i < in->n_announced; i++) {
		const struct announced *a = &in->announced[i];
		r = c->setup->found(c->setup->opaque, &a->finding, &a->of->verdict, &a->of->input, a->snapshot, err);
	}
	in->n_announced = 0;
	return r;
}

static int take_result(struct campaign *c, struct worker_slot *slot, struct result *r, struct err *err)
{
	if (r->failed)
		return err_set(err, "%s", r->failed);
	c->counts.us_run += r->us_run;
	c->counts.us_read += r->us_read;
	c->counts.us_solve += r->us_solve;
	c->counts.us_oracle += r->us_oracle;
	c->counts.us_care += r->us_care;
	if (begin(c, err) < 0)
		return -1;
	int taken = c->setup->suite ? amplify_take(c, slot, r, err) : campaign_take_search(c, slot, r, err);
	return taken == 0 ? announce(c, err) : taken;
}

static int start_worker(struct campaign *c, unsigned i, struct err *err)
{
	const struct worker_setup *w = c->setup->worker;
	struct worker_slot *slot = &c->inside->slots[i];
	char *worker_dir = mem_printf("%s/%u-%u", c->setup->worker_dirs, i, c->inside->worker_dirs++);
	int r = file_mkdirs(worker_dir, 0755, err);
	if (r == 0)
		r = worker_start(&slot->worker, w, worker_dir, err);
	mem_free(worker_dir);
	slot->since = 0;
	for (uint32_t k = 0; k < w->n_programs; k++)
		slot->since += w->programs[k].builds;
	return r;
}

// What a worker knows of coverage is what was known when it was started.
static int have_worker(struct campaign *c, struct worker_slot *slot, struct err *err)
{
	bool knows = !c->setup->suite || slot->since > c->setup->worker->programs[slot->item.program].since;
	if (slot->worker.pid > 0 && knows)
		return 0;
	if (slot->worker.pid > 0)
		worker_stop(&slot->worker);
	return start_worker(c, (unsigned)(slot - c->inside->slots), err);
}

static bool in_strategy(const struct campaign *c)
{
	return !c->setup->suite;
}

// Nobody will answer what the slot was asked for.
static void give_up_candidates(struct campaign *c, const struct worker_slot *slot)
{
	for (uint32_t k = 0; k < slot->n_candidates; k++)
		tree_set(&c->inside->tree, slot->candidates[k].alternative.key, TREE_UNKNOWN);
	c->counts.unknown += slot->n_candidates;
}

// A worker may die of what it was given. What it was at is not tried again.
int campaign_replace_worker(struct campaign *c, unsigned i, struct err *err)
{
	struct worker_slot *slot = &c->inside->slots[i];
	struct err why = *err;
	if (++c->inside->dead > RESTARTS)
		return -1;
	if (slot->worker.pid > 0)
		worker_stop(&slot->worker);
	slot->works = false;
	if (c->setup->suite)
		amplify_lost(c, slot);
	c->counts.partial += (slot->item.flags & JOB_PATH) != 0;
	if (in_strategy(c))
		c->inside->matching -= (slot->item.flags & JOB_MATCH) != 0;
	give_up_candidates(c, slot);
	if (in_strategy(c) || slot->item.search) {
		strategy_answered(campaign_strategy(c, &slot->item), i, NULL);
		strategy_lost(campaign_strategy(c, &slot->item), slot->item.input);
	}
	if (start_worker(c, i, err) < 0) {
		*err = why;
		return -1;
	}
	return 0;
}

int campaign_by_event(const void *x, const void *y)
{
	const struct candidate *a = x, *b = y;
	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	return a->depth < b->depth ? -1 : a->depth > b->depth;
}

// Nothing is under way that something could come of.
static bool is_alone(const struct campaign *c)
{
	unsigned busy = 0;
	for (unsigned i = 0; i < c->inside->n_slots; i++)
		busy += c->inside->slots[i].works;
	return !busy && !c->inside->runs.n && !c->inside->reruns.n && !c->inside->replays.n;
}

// Ways off the same run, solved together.
static void choose_candidates(struct campaign *c, struct worker_slot *slot)
{
	struct campaign_inside *in = c->inside;
	if (!in->seeded)
		c->before = cover_totals(c->setup->cover);
	in->seeded = true;
	slot->n_candidates = strategy_choose(in->strategy, (unsigned)(slot - in->slots), is_alone(c), slot->candidates,
	                                     BATCH, &slot->first);
	if (!slot->n_candidates)
		return;
	if (!slot->first) // so each question goes on from the one before
		qsort(slot->candidates, slot->n_candidates, sizeof *slot->candidates, campaign_by_event);
	slot->item = (struct work_item){.input = slot->candidates[0].input, .flags = slot->first ? JOB_FIRST : 0};
	if (campaign_wants_care_now(c, slot->item.input))
		slot->item.flags |= JOB_CARE;
}

static void add_alternatives(struct campaign *c, const struct worker_slot *slot, struct job *j)
{
	j->alternatives = mem_zero((slot->n_candidates + 1) * sizeof *j->alternatives);
	j->n_alternatives = slot->n_candidates;
	for (uint32_t i = 0; i < slot->n_candidates; i++) {
		const struct candidate *f = &slot->candidates[i];
		struct job_alternative *t = &j->alternatives[i];
		*t = (struct job_alternative){.event = f->event, .place = f->place, .alternative = f->alternative};
		const struct tree_values *values =
			f->alternative.op == ALTERNATIVE_OTHER ? tree_find_values(&c->inside->tree, f->place) : NULL;
		if (!values)
			continue;
		t->n_known = values->n;
		t->known = (uint64_t *)mem_copy(values->v, values->n * sizeof *values->v);
	}
}

static int64_t seed_of(struct campaign *c, int64_t input)
{
	struct stored_input s;
	struct err err;
	for (int i = 0; i < 1 << 20 && store_get_input(c->setup->store, input, &s, &err) == 0; i++) {
		int64_t parent = s.parent;
		stored_input_release(&s);
		if (!parent)
			break;
		input = parent;
	}
	return input;
}

static bool in_episode(const struct campaign *c, const struct work_item *t)
{
	return (in_strategy(c) || t->search) && (t->flags & JOB_PATH) && strategy_has_episodes(c->setup->strategy);
}

int campaign_send(struct campaign *c, struct worker_slot *slot, struct err *err)
{
	struct stored_input s, seed;
	struct job j = {.id = (uint64_t)slot->item.input,
	                .program = slot->item.program,
	                .snapshot = slot->item.snapshot,
	                .flags = slot->item.flags | (in_episode(c, &slot->item) ? JOB_EDGES : 0),
	                .milliseconds = slot->item.milliseconds,
	                .run_ms = slot->item.run_ms,
	                .expect = slot->item.expect,
	                .care_us = campaign_limit_care(c, &slot->item)};
	int r = fetch(c, slot->item.input, &s, &j.input, err);
	if (r != 0)
		return r;
	if (slot->item.search) // flips do not say
		j.snapshot = slot->item.snapshot = s.snapshot;
	stored_input_release(&s);
	if (j.snapshot && store_get_snapshot(c->setup->store, j.snapshot, &j.around, err) < 0) {
		job_release(&j);
		return -1;
	}
	if (!slot->item.seed)
		slot->item.seed = seed_of(c, slot->item.input);
	if (j.flags & JOB_MINIMISE) {
		r = fetch(c, slot->item.seed, &seed, &j.seed, err);
		if (r != 0) {
			job_release(&j);
			return r;
		}
		stored_input_release(&seed);
	}
	if (amplify_fill_job(c, slot, &j, err) < 0) {
		job_release(&j);
		return -1;
	}
	add_alternatives(c, slot, &j);
	r = have_worker(c, slot, err);
	if (r == 0)
		r = job_send(slot->worker.fd, &j, err);
	job_release(&j);
	slot->works = r == 0;
	slot->sent = campaign_now();
	return r;
}

// Inputs of earlier sessions run again, which fills the tree, so that no query is issued twice: first those that cover
// something. When there are many others, a hundred thousand perhaps, they have every second turn: a few queries for
// nothing are better than a minute in which nothing is new.
static bool take_run(struct campaign *c, struct work_item *ret)
{
	enum { FEW = 1000 };
	struct campaign_inside *in = c->inside;
	if (work_queue_take(&in->runs, ret) || work_queue_take(&in->reruns, ret))
		return true;
	in->replay_next = !in->replay_next || in->replays.n <= FEW;
	return in->replay_next && work_queue_take(&in->replays, ret);
}

static int give_job(struct campaign *c, struct worker_slot *slot, struct err *err)
{
	struct campaign_inside *in = c->inside;
	slot->n_candidates = 0;
	if (c->setup->suite)
		return amplify_give(c, slot, err);
	bool chosen = !c->setup->deterministic && campaign_has_time_for_care(c) && campaign_choose_care(c, &slot->item);
	if (!chosen && !work_queue_take(&in->oracle, &slot->item) && !take_run(c, &slot->item))
		choose_candidates(c, slot);
	if (!slot->item.input && !work_queue_take(&in->replays, &slot->item) && !campaign_choose_care(c, &slot->item) &&
	    !campaign_take_idle(c, &slot->item))
		return 0;
	return campaign_send(c, slot, err);
}

// --- the campaign ---------------------------------------------------------------------------------

static int take_stored_flip(void *opaque, const struct stored_flip *f)
{
	static const enum tree_state states[] = {TREE_PENDING, TREE_SAT, TREE_UNSAT, TREE_UNKNOWN};
	struct campaign *c = opaque;
	if (f->answer <= FLIP_UNKNOWN)
		tree_set(&c->inside->tree, f->path, states[f->answer]);
	return 0;
}

static int take_stored_input(void *opaque, const struct stored_input *s)
{
	struct campaign *c = opaque;
	// One that was not done may have been made to violate a check.
	struct work_item t = {.input = s->id,
	                      .flags = JOB_PATH,
	                      .again = s->state == INPUT_DONE,
	                      .violating = s->state != INPUT_DONE};
	if (!s->data.len)
		return 0; // it was let go: it covered nothing of its own
	if (!s->parent)
		campaign_want_match(c, &t);
	work_queue_add(!t.again                     ? &c->inside->runs
	               : s->in_corpus || !s->parent ? &c->inside->reruns
	                                            : &c->inside->replays,
	               &t);
	c->counts.inputs++;
	if (s->in_corpus && s->care < 0 && s->state == INPUT_DONE)
		campaign_want_care(c, s->id, 0, 0);
	return 0;
}

static int take_stored_finding(void *opaque, const struct stored_finding *f)
{
	struct campaign *c = opaque;
	tree_set(&c->inside->known_bugs, f->key, TREE_TAKEN);
	return 0;
}

static int take_stored_cover(void *opaque, uint64_t unit, const uint8_t *bytes, size_t n)
{
	struct campaign *c = opaque;
	cover_restore(c->setup->cover, unit, bytes, n);
	return 0;
}

// What an earlier session left: its inputs run again, which fills the tree; what was answered then is
// not asked again.
static int load(struct campaign *c, struct err *err)
{
	struct store *s = c->setup->store;
	return store_each_flip(s, take_stored_flip, c, err) < 0 ||
	                       (!c->setup->suite && store_each_input(s, take_stored_input, c, err) < 0) ||
	                       (!c->setup->suite && store_each_finding(s, take_stored_finding, c, err) < 0) ||
	                       store_each_cover(s, take_stored_cover, c, err) < 0
	               ? -1
	               : 0;
}

static int add_seeds(struct campaign *c, const struct input *seeds, size_t n, struct err *err)
{
	if (begin(c, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		struct stored_input s = {.changed = -1, .care = -1};
		bool known;
		if (campaign_add_input(c, &seeds[i], &s, &known, err) < 0)
			return -1;
		struct work_item t = {.input = s.id, .seed = s.id, .flags = JOB_PATH};
		strategy_seed(c->inside->strategy, s.id);
		if (!known && !c->inside->seeded)
			campaign_want_match(c, &t);
		if (!known)
			work_queue_add(&c->inside->runs, &t);
	}
	return commit(c, err);
}

// What another tool has found since.
static int add_more(struct campaign *c, struct err *err)
{
	struct input *more = NULL;
	size_t n = 0;
	if (!c->setup->more || campaign_now() - c->inside->asked < 1)
		return 0;
	c->setup->more(c->setup->opaque, &more, &n);
	int r = n ? add_seeds(c, more, n, err) : 0;
	for (size_t i = 0; i < n; i++)
		input_release(&more[i]);
	mem_free(more);
	c->inside->asked = campaign_now();
	return r;
}

bool campaign_is_stopped(const struct campaign *c)
{
	return c->setup->stop && *c->setup->stop;
}

static bool is_over(const struct campaign *c)
{
	return campaign_is_stopped(c) || (c->setup->seconds > 0 && c->elapsed >= c->setup->seconds) ||
	       (c->setup->runs && c->counts.runs >= c->setup->runs);
}

void campaign_drop(struct campaign *c, struct worker_slot *slot)
{
	give_up_candidates(c, slot);
	if (slot->n_candidates)
		strategy_answered(campaign_strategy(c, &slot->item), (unsigned)(slot - c->inside->slots), NULL);
	strategy_lost(campaign_strategy(c, &slot->item), slot->item.input);
}

static int give_jobs(struct campaign *c, bool *ret_any, struct err *err)
{
	*ret_any = false;
	for (unsigned i = 0; i < c->inside->n_slots && !campaign_is_stopped(c);
	     i++) { // to start a worker takes a moment
		struct worker_slot *slot = &c->inside->slots[i];
		if (!slot->works) {
			slot->item = (struct work_item){0};
			int given = give_job(c, slot, err);
			*ret_any |= given > 0; // not this one, but there may be more
			if (given > 0 && in_strategy(c))
				campaign_drop(c, slot);
			if (given < 0) {
				if (campaign_replace_worker(c, i, err) < 0)
					return -1;
				*ret_any = true; // there may be more for the new one
			}
		}
		*ret_any |= slot->works;
	}
	return 0;
}

int campaign_wait_for_results(struct campaign *c, struct err *err)
{
	struct campaign_inside *in = c->inside;
	struct pollfd *fds = mem_zero(in->n_slots * sizeof *fds);
	for (unsigned i = 0; i < in->n_slots; i++)
		fds[i] = (struct pollfd){.fd = in->slots[i].works ? in->slots[i].worker.fd : -1, .events = POLLIN};
	int n = poll(fds, in->n_slots, 250), r = 0;
	for (unsigned i = 0; n > 0 && r == 0 && i < in->n_slots; i++) {
		struct result result;
		if (!fds[i].revents)
			continue;
		if (result_receive(in->slots[i].worker.fd, &result, err) < 0) {
			r = campaign_replace_worker(c, i, err);
			continue;
		}
		in->slots[i].works = false;
		r = take_result(c, &in->slots[i], &result, err);
		result_release(&result);
	}
	mem_free(fds);
	return r;
}

static void look_at_clock(struct campaign *c)
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

static int look_for_programs(struct campaign *c, struct err *err)
{
	c->inside->awaits = c->setup->awaits(c->setup->opaque);
	return c->inside->awaits ? 0 : amplify_built(c, err);
}

static int explore(struct campaign *c, struct err *err)
{
	struct campaign_inside *in = c->inside;
	bool any = true;
	int r = 0;
	while (r == 0 && !is_over(c)) {
		r = add_more(c, err);
		if (r == 0 && in->awaits)
			r = look_for_programs(c, err);
		if (r == 0)
			r = give_jobs(c, &any, err);
		if (r == 0 && !any && !c->setup->more && !in->awaits)
			break;
		if (r == 0)
			r = campaign_wait_for_results(c, err);
		look_at_clock(c);
		c->waiting = c->setup->suite ? amplify_waiting(c)
		                             : strategy_waiting(in->strategy) + in->runs.n + in->oracle.n;
		c->replays = in->reruns.n + in->replays.n;
		if (r == 0 && campaign_now() - in->committed > 1)
			r = commit(c, err);
		c->candidates = suite_search_waiting(c);
		if (c->setup->progress && campaign_now() - in->reported > 0.5) {
			c->setup->progress(c->setup->opaque, c);
			in->reported = campaign_now();
		}
	}
	if (r == 0 && any)
		r = campaign_finish_pending(c, err);
	if (in->strategy) {
		c->has_weights = strategy_weights(in->strategy, c->weights);
		strategy_report(in->strategy, &c->search);
	}
	c->searched = suite_search_seconds(c);
	c->tree_full = in->tree.full;
	c->missed = in->tree.count[TREE_SAT];
	c->uncared = in->care.count[TREE_PENDING];
	c->complete = r == 0 && !any && !in->tree.count[TREE_UNKNOWN] && !c->missed && !c->counts.partial &&
	              !in->tree.full && (!c->setup->suite || amplify_is_complete(c)) && !c->counts.differing;
	return r;
}

static void release(struct campaign *c)
{
	struct campaign_inside *in = c->inside;
	struct work_item t;
	struct worker **all = mem_zero(in->n_slots * sizeof *all);
	size_t n = 0;
	for (unsigned i = 0; i < in->n_slots; i++)
		if (in->slots[i].worker.pid > 0)
			all[n++] = &in->slots[i].worker;
	workers_stop(all, n);
	mem_free(all);
	for (unsigned i = 0; i < in->n_slots; i++) {
		while (work_queue_take(&in->slots[i].oracle, &t))
			;
	}
	if (c->setup->suite)
		amplify_release(c);
	while (work_queue_take(&in->runs, &t) || work_queue_take(&in->reruns, &t) ||
	       work_queue_take(&in->replays, &t) || work_queue_take(&in->oracle, &t) ||
	       work_queue_take(&in->idle, &t) || work_queue_take(&in->cares, &t))
		;
	tree_release(&in->tree);
	tree_release(&in->edges);
	tree_release(&in->known_bugs);
	tree_release(&in->paths);
	tree_release(&in->looked);
	tree_release(&in->care);
	strategy_free(in->strategy);
	buf_release(&in->checked);
	mem_free(in->first_difference);
	mem_free(in->announced);
	mem_free(in->slots);
	mem_free(in);
	c->inside = NULL;
}

int campaign_run(struct campaign *c, const struct campaign_setup *setup, struct err *err)
{
	struct campaign_inside *in = mem_zero(sizeof *in);
	*c = (struct campaign){.setup = setup, .inside = in};
	tree_init(&in->tree, setup->tree_max ? setup->tree_max : (size_t)1 << 24);
	tree_init(&in->edges, (size_t)1 << 22);
	tree_init(&in->known_bugs, (size_t)1 << 20);
	tree_init(&in->paths, (size_t)1 << 22);
	tree_init(&in->looked, (size_t)1 << 22);
	tree_init(&in->care, (size_t)1 << 22);
	in->n_slots = setup->jobs ? setup->jobs : 1;
	in->strategy_setup = (struct strategy_setup){
		.random = setup->random,
		.tree = &in->tree,
		.edges = &in->edges,
		.graph = setup->graph,
		.slots = in->n_slots,
		.seconds = setup->seconds,
		.runs = setup->runs,
		.elapsed = setup->deterministic ? NULL : &c->elapsed,
		.ran = &c->counts.runs,
		.tuning = setup->tuning,
		.weights = setup->weights,
	};
	in->strategy = setup->suite ? NULL : strategy_new(setup->strategy, &in->strategy_setup);
	in->slots = mem_zero(in->n_slots * sizeof *in->slots);
	in->committed = campaign_now();
	in->started = setup->began > 0 ? setup->began : in->committed;
	in->awaits = setup->awaits != NULL;
	in->cpu_before = setup->cpu ? process_cpu(getpid()) : 0;
	if (setup->suite)
		amplify_init(c);
	campaign_load_checked(c);
	int r = load(c, err);
	if (r == 0 && setup->suite)
		r = amplify_load(c, err);
	c->first_session = !in->runs.n && !in->reruns.n && !in->replays.n;
	if (r == 0 && !setup->suite)
		campaign_load_pending(c);
	if (r == 0)
		r = add_seeds(c, setup->seeds, setup->n_seeds, err);
	if (r == 0)
		r = explore(c, err);
	struct err ignored;
	look_at_clock(c);
	if (setup->suite)
		amplify_ends(c);
	if (r == 0)
		r = begin(c, err) < 0 ? -1 : campaign_store_pending(c, err);
	if (commit(c, r == 0 ? err : &ignored) < 0)
		r = -1;
	release(c);
	return r;
}
