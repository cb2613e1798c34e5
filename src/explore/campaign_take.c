// What comes of results: paths, answers, findings, and what is still to be done with an input.
#include <signal.h>
#include <string.h>

#include "base/mem.h"
#include "explore/campaign_internal.h"
#include "explore/suite_search.h"

// --- what matters ---------------------------------------------------------------------------------

// Which bytes matter is nice to know, not what a campaign is for: it gets a hundredth of the time. An input waits until
// ways off it are solved, when its path is at hand; to run it once more for this alone is for time that is left over.
// None is begun without a little time, or gets more than enough: what it has not ruled out then matters.
enum { CARE_SHARE = 100, CARE_SHARE_ALONE = 200, CARE_US_MIN = 2000, CARE_US_MAX = 100000 };

void campaign_want_care(struct campaign *c, int64_t input, int64_t seed, uint64_t us)
{
	const struct work_item t = {.input = input, .seed = seed, .flags = JOB_CARE, .us = us};
	tree_set(&c->inside->care, (uint64_t)input, TREE_PENDING);
	work_queue_add(&c->inside->cares, &t);
}

// What is left of a share of the time, in microseconds.
static double care_time(const struct campaign *c, unsigned share)
{
	return 1e6 * c->elapsed * c->inside->n_slots / share - (double)c->counts.us_care;
}

// Is there time for the first one that waits, which has to run for it?
bool campaign_has_time_for_care(const struct campaign *c)
{
	const struct work_item *t = c->inside->cares.first;
	return t && care_time(c, CARE_SHARE_ALONE) > (double)(t->us + CARE_US_MIN);
}

uint32_t campaign_limit_care(const struct campaign *c, const struct work_item *t)
{
	double left = care_time(c, CARE_SHARE) - (double)t->us;
	return left > CARE_US_MAX ? CARE_US_MAX : left > CARE_US_MIN ? (uint32_t)left : CARE_US_MIN;
}

static bool wants_care(const struct campaign *c, int64_t input)
{
	return tree_get(&c->inside->care, (uint64_t)input) == TREE_PENDING;
}

// Beside something else that is done with it.
bool campaign_wants_care_now(const struct campaign *c, int64_t input)
{
	return wants_care(c, input) && !c->setup->deterministic && care_time(c, CARE_SHARE) > CARE_US_MIN;
}

bool campaign_choose_care(struct campaign *c, struct work_item *ret)
{
	while (work_queue_take(&c->inside->cares, ret))
		if (wants_care(c, ret->input))
			return true;
	*ret = (struct work_item){0};
	return false;
}

int campaign_take_care(struct campaign *c, const struct work_item *t, const struct result *r, struct err *err)
{
	struct stored_input s;
	if (t->flags & JOB_CARE)
		tree_set(&c->inside->care, (uint64_t)t->input, TREE_TAKEN); // also when nothing was found out
	if (r->care < 0)
		return 0;
	if (store_get_input(c->setup->store, t->input, &s, err) < 0)
		return -1;
	if (s.in_corpus && s.care < 0) {
		c->counts.cared++;
		c->counts.care += (uint64_t)r->care;
		c->counts.care_of += (uint64_t)r->care_of;
	}
	s.care = r->care;
	int stored = store_update_input(c->setup->store, &s, err);
	stored_input_release(&s);
	return stored;
}

// --- what runs tell -------------------------------------------------------------------------------

static uint64_t nth_key(uint64_t key, uint32_t n)
{
	return (key ^ n * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
}

// A visit has solved it, and perhaps nobody has run the solution.
static void enter_solution(struct campaign *c, const struct work_item *t, uint64_t key)
{
	struct stored_flip f;
	struct stored_input s;
	struct err err;
	if (!store_get_flip(c->setup->store, key, &f) || f.answer != FLIP_SAT || !f.input ||
	    store_get_input(c->setup->store, f.input, &s, &err) < 0)
		return;
	const struct work_item run = {.input = f.input,
	                              .seed = t->seed,
	                              .program = t->program,
	                              .snapshot = s.snapshot,
	                              .again = s.state == INPUT_DONE};
	if (s.data.len)
		suite_search_enter(c, &run, true);
	stored_input_release(&s);
}

// turn->key is 0 afterwards when there is nothing to ask.
static void offer(struct campaign *c, const struct work_item *t, const struct reported *reported,
                  struct alternative *alternative, uint32_t covered, uint64_t cpu_us)
{
	struct campaign_inside *in = c->inside;
	struct candidate f = {.input = t->input,
	                      .event = reported->decision.event,
	                      .depth = reported->depth,
	                      .alternative = *alternative,
	                      .place = reported->decision.place,
	                      .covered = covered,
	                      .milliseconds = c->setup->deterministic ? 0 : (uint32_t)(cpu_us / 1000)};
	if (alternative->op == ALTERNATIVE_OTHER) {
		const struct tree_values *values = tree_add_value(&in->tree, f.place, reported->decision.value);
		uint64_t key = alternative->key;
		alternative->key = 0;
		if (!values)
			return;
		if (values->n > 1) // whoever asked for another value has it
			tree_set(&in->tree, nth_key(key, values->n - 1), TREE_TAKEN);
		f.alternative.key = alternative->key = nth_key(key, values->n);
		f.rare = alternative->rare = values->n >= TREE_VALUES_FEW;
	}
	enum tree_state state = tree_get(&in->tree, f.alternative.key);
	if (t->search && alternative->op != ALTERNATIVE_VIOLATE && state == TREE_SAT)
		enter_solution(c, t, f.alternative.key);
	if (alternative->op == ALTERNATIVE_VIOLATE &&
	    state == TREE_SAT) // of an earlier session: no run will come by this key
		tree_set(&in->tree, f.alternative.key, TREE_TAKEN);
	if (state != TREE_NEW)
		return;
	if (tree_set(&in->tree, f.alternative.key, TREE_PENDING) == TREE_NEW &&
	    tree_get(&in->tree, f.alternative.key) == TREE_PENDING)
		strategy_add(campaign_strategy(c, t), &f);
}

static void take_path(struct campaign *c, const struct work_item *t, struct result *r, uint32_t covered)
{
	struct campaign_inside *in = c->inside;
	for (uint32_t i = 0; i < r->n_reported; i++) {
		const struct decision *d = &r->reported[i].decision;
		tree_set(&in->tree, d->key, TREE_TAKEN);
		tree_set(&in->edges, d->edge, TREE_TAKEN);
	}
	for (uint32_t i = 0; i < r->n_reported; i++)
		for (uint32_t k = 0; k < r->reported[i].decision.alternatives; k++)
			offer(c, t, &r->reported[i], &r->alternatives[r->reported[i].decision.first + k], covered,
			      r->run.cpu_us);
	strategy_ran(campaign_strategy(c, t), t->input, r, covered);
}

int campaign_take_cover(struct campaign *c, const struct result *r, uint32_t *ret_new, struct err *err)
{
	*ret_new = 0;
	for (uint32_t i = 0; i < r->n_cover; i++) {
		uint32_t more = cover_restore(c->setup->cover, r->cover[i].unit, r->cover[i].bytes, r->cover[i].n);
		*ret_new += more;
		if (more &&
		    store_add_cover(c->setup->store, r->cover[i].unit, r->cover[i].bytes, r->cover[i].n, err) < 0)
			return -1;
	}
	return 0;
}

static bool is_crash(const struct run_result *r)
{
	return r->end == RUN_SIGNAL && (r->code == SIGSEGV || r->code == SIGBUS || r->code == SIGFPE ||
	                                r->code == SIGILL || r->code == SIGABRT || r->code == SIGTRAP);
}

// Is there more to the run than its path says?
static bool is_partial(const struct result *r)
{
	return r->cut || r->full || r->damaged || r->unmodelled || r->untraced ||
	       (r->run.end != RUN_EXITED && r->run.end != RUN_SIGNAL);
}

void campaign_count_run(struct campaign *c, const struct work_item *t, const struct result *r)
{
	struct campaign_counts *n = &c->counts;
	n->runs += !t->again;
	n->searched += !t->again && t->search;
	n->reruns += t->again;
	n->crashes += !t->again && is_crash(&r->run);
	n->timeouts += !t->again && r->run.end == RUN_TIMEOUT;
	n->cut += r->cut;
	n->full += r->full;
	n->partial += is_partial(r);
	n->with_input += !r->no_input;
	if (!t->expect)
		return;
	n->expected += r->as_expected;
	n->diverged += !r->as_expected;
	n->diverged_unmodelled += !r->as_expected && r->unmodelled;
}

int campaign_take_names(struct campaign *c, const struct result *r, struct err *err)
{
	for (uint32_t i = 0; i < r->n_names; i++) {
		char *name = mem_printf("not modelled:%s", r->names[i].name);
		int stored = store_count(c->setup->store, name, r->names[i].count, err);
		mem_free(name);
		if (stored < 0)
			return -1;
	}
	return 0;
}

// To tell a hang from a long run takes the oracle seconds: he has a tenth of the time for it, but for the first ones.
static bool has_time_for_hangs(const struct campaign *c)
{
	enum { FIRST = 3, SHARE = 10 };
	const struct campaign_counts *n = &c->counts;
	bool clock = !c->setup->deterministic && n->timeouts > FIRST;
	return n->timeouts <= HANGS && (!clock || (double)n->us_oracle * SHARE < 1e6 * c->wall * c->inside->n_slots);
}

// Whether the oracle has to see it, whatever it covered.
bool campaign_needs_oracle(const struct campaign *c, const struct work_item *t, const struct result *r)
{
	if (r->run.end == RUN_TIMEOUT || r->run.end == RUN_MEMORY)
		return has_time_for_hangs(c);
	return t->violating || is_crash(&r->run);
}

// Other tools are told of inputs that they did not bring themselves.
static int report_corpus(struct campaign *c, const struct stored_input *s, struct err *err)
{
	struct input in;
	if (!c->setup->corpus || !s->parent)
		return 0;
	if (input_decode(&in, s->data.data, s->data.len, err) < 0)
		return -1;
	int r = c->setup->corpus(c->setup->opaque, c, &in, err);
	input_release(&in);
	return r;
}

int campaign_take_run(struct campaign *c, const struct work_item *t, struct result *r, struct err *err)
{
	uint32_t covered;
	struct stored_input s;
	campaign_count_run(c, t, r);
	if (campaign_take_cover(c, r, &covered, err) < 0 || campaign_take_names(c, r, err) < 0)
		return -1;
	take_path(c, t, r, covered);
	if (store_get_input(c->setup->store, t->input, &s, err) < 0)
		return -1;
	bool done = s.state == INPUT_DONE, looks = !done && (covered || campaign_needs_oracle(c, t, r));
	s.state = looks ? INPUT_NEW : INPUT_DONE; // done when it was looked at
	s.in_corpus |= covered > 0;
	int stored = store_update_input(c->setup->store, &s, err);
	if (stored == 0 && covered)
		stored = report_corpus(c, &s, err);
	stored_input_release(&s);
	if (!looks)
		return stored;
	c->counts.corpus += covered > 0;
	struct work_item look = *t;
	look.flags = JOB_ORACLE;
	look.expect = 0;
	work_queue_add(t->search ? suite_search_oracle_queue(c, t) : &c->inside->oracle, &look);
	if (covered && !t->search)
		campaign_want_care(c, t->input, t->seed, r->us_run);
	return stored;
}

// --- what was solved ------------------------------------------------------------------------------

static void note_checked(struct campaign *c, uint64_t edge)
{
	if (tree_set(&c->inside->edges, edge, TREE_PENDING) != TREE_NEW)
		return;
	c->counts.checks_unique++;
	buf_add(&c->inside->checked, &edge, sizeof edge);
}

// Those of earlier sessions.
void campaign_load_checked(struct campaign *c)
{
	struct buf *all = &c->inside->checked;
	uint64_t edge;
	store_get(c->setup->store, "checked", all);
	all->len -= all->len % sizeof edge;
	for (size_t i = 0; i < all->len; i += sizeof edge) {
		memcpy(&edge, all->data + i, sizeof edge);
		tree_set(&c->inside->edges, edge, TREE_PENDING);
	}
}

int campaign_take_answer(struct campaign *c, const struct work_item *t, const struct candidate *f,
                         const struct result_answer *a, struct taken *ret, struct err *err)
{
	*ret = (struct taken){0};
	static const enum tree_state states[] = {TREE_UNSAT, TREE_SAT, TREE_UNKNOWN};
	static const enum flip_answer answers[] = {FLIP_UNSAT, FLIP_SAT, FLIP_UNKNOWN};
	struct stored_flip candidate = {.path = f->alternative.key, .answer = answers[a->answer]};
	bool violates = f->alternative.op == ALTERNATIVE_VIOLATE;
	c->counts.queries++;
	c->counts.checks += violates;
	if (violates)
		note_checked(c, f->alternative.edge);
	c->counts.sat += a->answer == ANSWER_SAT;
	c->counts.unsat += a->answer == ANSWER_UNSAT;
	c->counts.unknown += a->answer == ANSWER_UNKNOWN;
	tree_set(&c->inside->tree, f->alternative.key,
	         violates && a->answer == ANSWER_SAT ? TREE_TAKEN : states[a->answer]);
	if (a->answer == ANSWER_SAT) {
		struct stored_input s = {.parent = t->input,
		                         .event = a->event,
		                         .changed = (int32_t)a->changed,
		                         .care = -1,
		                         .snapshot = t->snapshot};
		if (campaign_add_input(c, &a->input, &s, &ret->known, err) < 0)
			return -1;
		candidate.input = ret->input = s.id;
		struct work_item run = {
			.input = s.id,
			.seed = t->seed,
			.flags = JOB_PATH,
			.expect = violates || f->alternative.op == ALTERNATIVE_OTHER ? 0 : f->alternative.key,
			.violating = violates};
		if (!ret->known && !c->setup->suite)
			work_queue_add(&c->inside->runs, &run);
		run.program = t->program;
		run.snapshot = t->snapshot;
		run.depth = f->depth;
		if (t->search)
			suite_search_enter(c, &run, true);
	}
	return store_add_flip(c->setup->store, &candidate, err);
}

// --- findings -------------------------------------------------------------------------------------

static const char *level_word(enum finding_level level)
{
	return level == LEVEL_ERROR ? "error" : level == LEVEL_WARNING ? "warning" : "resource";
}

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
	if (campaign_add_input(c, &v->input, &s, &known, err) < 0)
		return -1;
	struct stored_finding f = {.kind = v->verdict.kind,
	                           .level = (char *)level_word(v->verdict.level),
	                           .program = (char *)c->setup->worker->programs[t->program].path,
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
	// The oracle made it smaller: its path is as new as any. A solution that is the same would not be run.
	const struct work_item run = {
		.input = s.id, .seed = t->seed, .flags = JOB_PATH, .program = t->program, .snapshot = t->snapshot};
	if (!known && !c->setup->suite)
		work_queue_add(&c->inside->runs, &run);
	if (t->search)
		suite_search_enter(c, &run, true);
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

// Nothing is left to do with it.
int campaign_finish_input(struct campaign *c, int64_t id, struct err *err)
{
	struct stored_input s;
	if (store_get_input(c->setup->store, id, &s, err) < 0)
		return -1;
	s.state = INPUT_DONE;
	int stored = store_update_input(c->setup->store, &s, err);
	stored_input_release(&s);
	return stored;
}

// A bug that is new is looked at again, to make its input small; then it is a finding.
int campaign_take_verdicts(struct campaign *c, struct worker_slot *slot, const struct result *r, struct err *err)
{
	const struct work_item *t = &slot->item;
	bool again = false;
	c->counts.oracle_runs++;
	for (uint32_t i = 0; i < r->n_verdicts; i++) {
		uint64_t key = r->verdicts[i].verdict.key;
		if (tree_get(&c->inside->known_bugs, key) == TREE_TAKEN) {
			if (c->setup->suite &&
			    store_nearer_finding(c->setup->store, key, t->distance, t->depth, err) < 0)
				return -1;
			continue;
		}
		if (t->flags & JOB_MINIMISE) {
			tree_set(&c->inside->known_bugs, key, TREE_TAKEN);
			if (add_finding(c, t, &r->verdicts[i], err) < 0)
				return -1;
		} else {
			again |= tree_set(&c->inside->known_bugs, key, TREE_PENDING) == TREE_NEW;
		}
	}
	struct work_item look = *t;
	look.flags = JOB_ORACLE | JOB_MINIMISE;
	if (again && wants_care(c, t->input))
		look.flags |= JOB_CARE;
	if (again)
		work_queue_add(c->setup->suite ? &slot->oracle : &c->inside->oracle, &look);
	return again ? 0 : campaign_finish_input(c, t->input, err);
}

// --- compared with native runs -------------------------------------------------------------------------

void campaign_note_compared(struct campaign *c, int64_t input, const char *differs, bool tell)
{
	struct campaign_inside *in = c->inside;
	c->counts.compared += input != 0;
	c->counts.differing += differs != NULL;
	if (differs && !in->first_difference) {
		in->first_difference = mem_strdup(differs);
		in->first_differing = input;
	}
	if (!tell || in->reported_differing || 100 * c->counts.differing <= CAMPAIGN_DIFFERS * c->counts.compared)
		return;
	in->reported_differing = true;
	if (c->setup->differs)
		c->setup->differs(c->setup->opaque, c, in->first_differing, in->first_difference);
}

// One of the first inputs, which are not explored from when tracing changes what they do. True: it is not.
bool campaign_is_other(struct campaign *c, const struct work_item *t, const struct result *r)
{
	if (!(t->flags & JOB_MATCH))
		return false;
	c->inside->matching--;
	campaign_note_compared(c, t->input, r->differs, !c->inside->matching);
	return r->differs;
}

void campaign_want_match(struct campaign *c, struct work_item *t)
{
	if (c->inside->matching + c->counts.compared >= COMPARED)
		return;
	t->flags |= JOB_MATCH;
	c->inside->matching++;
}

// --- idle looks -----------------------------------------------------------------------------------

// A path can do wrong where no check stands, nothing crashes and nothing is new: an access at a fixed place of a block
// that is smaller this time. So the oracle looks at every path, when there is nothing else to do.
void campaign_queue_idle(struct campaign *c, const struct work_item *t, const struct result *r)
{
	enum { IDLE_MAX = 1 << 20 };
	struct work_item look = *t;
	look.flags = JOB_ORACLE;
	look.expect = 0;
	bool is_new = r->path && tree_set(&c->inside->paths, r->path, TREE_TAKEN) == TREE_NEW;
	c->counts.paths += is_new;
	if (is_new && c->inside->idle.n < IDLE_MAX)
		work_queue_add(&c->inside->idle, &look);
}

bool campaign_take_idle(struct campaign *c, struct work_item *ret)
{
	while (work_queue_take(&c->inside->idle, ret))
		if (tree_get(&c->inside->looked, (uint64_t)ret->input) == TREE_NEW)
			return true;
	*ret = (struct work_item){0};
	return false;
}
