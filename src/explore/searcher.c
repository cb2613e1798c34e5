#include "explore/searcher.h"

#include <assert.h>

#include "base/mem.h"
#include "base/vec.h"
#include "explore/driver.h"

void searcher_init(struct searcher *s, struct campaign *c, const struct strategy_options *o)
{
	struct campaign_inside *in = c->inside;
	const struct campaign_setup *setup = c->setup;
	*s = (struct searcher){.kind = o->kind, .oracle = &in->oracle};
	s->setup = (struct strategy_setup){
		.random = o->random,
		.tree = &in->tree,
		.edges = &in->edges,
		.graph = o->graph,
		.slots = in->n_slots,
		.seconds = setup->seconds,
		.runs = setup->runs,
		.elapsed = setup->deterministic ? NULL : &c->elapsed,
		.ran = &c->counts.runs,
		.tuning = o->tuning,
		.weights = o->weights,
	};
	s->strategy = strategy_new(s->kind, &s->setup);
}

void searcher_release(struct searcher *s)
{
	strategy_free(s->strategy);
	mem_free(s->later);
	efforts_release(&s->efforts);
	crowd_release(&s->crowd);
	*s = (struct searcher){0};
}

// --- choosing ------------------------------------------------------------------------------------

static bool is_check(const struct candidate *f)
{
	return f->alternative.op == ALTERNATIVE_VIOLATE;
}

// Of a search by_segment: nothing that the candidate leads to is left in the first segment, or hardly anything.
static bool waits(const struct searcher *s, const struct candidate *f)
{
	if (s->only_checks)
		return !is_check(f);
	return s->by_segment && !s->segment_ended && (f->past || f->rare || !s->leads(s->opaque, f));
}

static void put_off(struct searcher *s, const struct candidate *f)
{
	vec_room(s->later, s->n_later + 1, s->later_max);
	s->later[s->n_later++] = *f;
}

// What they led to when they were added may be covered by now.
static uint32_t put_off_covered(struct searcher *s, struct candidate *v, uint32_t n)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < n; i++)
		if (waits(s, &v[i]))
			put_off(s, &v[i]);
		else
			v[kept++] = v[i];
	return kept;
}

static void to_strategy(struct searcher *s, const struct candidate *f)
{
	if (!s->bounded || crowd_admits(&s->crowd, f))
		strategy_add(s->strategy, f);
}

// Some of those that were turned away; false: there are none.
static bool let_in(struct searcher *s)
{
	struct candidate f;
	unsigned n = 0;
	while (n < CROWD && crowd_next(&s->crowd, &f)) {
		strategy_add(s->strategy, &f);
		n++;
	}
	return n > 0;
}

static void add_candidate(struct searcher *s, const struct candidate *f);

// What the solver left in haste, once; false: nothing.
static bool let_hasty_in(struct searcher *s, struct campaign *c)
{
	struct candidate f;
	bool any = false;
	while (efforts_take(&s->efforts, c, &f)) {
		tree_set(&c->inside->tree, f.alternative.key, TREE_PENDING);
		add_candidate(s, &f);
		any = true;
	}
	return any;
}

// One that the solver left in haste, to be solved with all effort, past the strategy.
static bool choose_hasty(struct searcher *s, struct campaign *c, struct worker_slot *slot)
{
	struct candidate *f = &slot->candidates[0];
	if (!efforts_choose(&s->efforts, c, f))
		return false;
	tree_set(&c->inside->tree, f->alternative.key, TREE_PENDING);
	if (waits(s, f)) {
		put_off(s, f);
		return false;
	}
	slot->n_candidates = 1;
	slot->first = false;
	slot->all_effort = true;
	slot->item = (struct work_item){.input = f->input};
	return true;
}

bool searcher_choose(struct searcher *s, struct campaign *c, struct worker_slot *slot, bool alone)
{
	uint32_t n;
	slot->all_effort = false;
	if (choose_hasty(s, c, slot))
		return true;
	do {
		n = strategy_choose(s->strategy, campaign_slot_number(c, slot), alone, slot->candidates, BATCH,
		                    &slot->first);
		assert(n <= BATCH);
		for (uint32_t i = 0; i < n && s->bounded; i++)
			crowd_leaves(&s->crowd, &slot->candidates[i]);
		slot->n_candidates = put_off_covered(s, slot->candidates, n);
	} while (!slot->n_candidates && (n || let_in(s) || (alone && let_hasty_in(s, c))));
	if (!slot->n_candidates)
		return false;
	for (uint32_t i = 0; i < slot->n_candidates; i++) {
		s->n_checks -= is_check(&slot->candidates[i]);
		slot->candidates[i].effort = efforts_usual(&s->efforts, &slot->candidates[i]);
	}
	if (!slot->first) // otherwise their order is the strategy's
		campaign_sort_candidates(slot);
	slot->item = (struct work_item){.input = slot->candidates[0].input, .flags = slot->first ? JOB_FIRST : 0};
	return true;
}

void searcher_fill(const struct searcher *s, const struct work_item *item, struct job *j)
{
	if ((item->flags & JOB_PATH) && strategy_has_episodes(s->kind))
		j->flags |= JOB_EDGES;
}

void searcher_lost(struct searcher *s, struct campaign *c, struct worker_slot *slot)
{
	s->unsure = true;
	if (!slot->all_effort)
		strategy_answered(s->strategy, campaign_slot_number(c, slot), NULL);
	strategy_lost(s->strategy, slot->item.input);
}

void searcher_evicted(struct searcher *s, struct campaign *c, struct worker_slot *slot)
{
	s->unsure = true;
	campaign_give_up_candidates(c, slot);
	if (slot->n_candidates && !slot->all_effort)
		strategy_answered(s->strategy, campaign_slot_number(c, slot), NULL);
	strategy_lost(s->strategy, slot->item.input);
}

// --- runs ----------------------------------------------------------------------------------------

static uint64_t nth_key(uint64_t key, uint32_t n)
{
	return (key ^ n * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
}

// Amplification has solved the branch edge, and perhaps nobody has run the solution.
static void run_solution(struct campaign *c, const struct work_item *t, uint64_t key)
{
	struct stored_input s;
	int64_t input = campaign_solution(c, key, &s);
	if (!input)
		return;
	const struct work_item run = {.input = input,
	                              .seed = t->seed,
	                              .program = t->program,
	                              .snapshot = s.snapshot,
	                              .again = s.state == INPUT_DONE};
	c->setup->driver->add(c, t, &run, true);
}

static void add_candidate(struct searcher *s, const struct candidate *f)
{
	s->n_checks += is_check(f);
	if (!waits(s, f)) {
		to_strategy(s, f);
		return;
	}
	s->unsure |= !s->only_checks && !f->past && s->leads(s->opaque, f); // it is rare
	put_off(s, f);
}

void searcher_end_segment(struct searcher *s)
{
	assert(s->by_segment && !s->segment_ended);
	s->segment_ended = true;
	for (size_t i = 0; i < s->n_later; i++)
		to_strategy(s, &s->later[i]);
	mem_free(s->later);
	s->later = NULL;
	s->n_later = s->later_max = 0;
}

void searcher_set_only_checks(struct searcher *s, bool only)
{
	struct candidate *waited = s->later;
	size_t n = s->n_later;
	if (only == s->only_checks)
		return;
	s->only_checks = only;
	s->later = NULL;
	s->n_later = s->later_max = 0;
	for (size_t i = 0; i < n; i++)
		if (waits(s, &waited[i]))
			put_off(s, &waited[i]);
		else
			to_strategy(s, &waited[i]);
	mem_free(waited);
}

// Gives the branch edge to the strategy unless the tree knows it.
static void offer_edge(struct searcher *s, struct campaign *c, const struct work_item *t, const struct candidate *f)
{
	struct tree *tree = &c->inside->tree;
	enum tree_state state = tree_get(tree, f->alternative.key);
	bool settles = alternative_is_settled(&f->alternative);
	if (s->shares_tree && !settles && state == TREE_SAT)
		run_solution(c, t, f->alternative.key);
	if (settles && state == TREE_SAT) // of an earlier session
		tree_set(tree, f->alternative.key, TREE_TAKEN);
	s->unsure |= state == TREE_UNKNOWN && !f->past;
	if (state != TREE_NEW)
		return;
	if (tree_set(tree, f->alternative.key, TREE_PENDING) == TREE_NEW &&
	    tree_get(tree, f->alternative.key) == TREE_PENDING)
		add_candidate(s, f);
	else // it is full
		s->unsure = true;
}

// Offers an alternative of a decision to the strategy. alternative->key becomes 0 when there is nothing to solve.
static void offer(struct searcher *s, struct campaign *c, const struct work_item *t, const struct reported *reported,
                  struct alternative *alternative, uint32_t covered, uint64_t cpu_us)
{
	struct candidate f = {.input = t->input,
	                      .event = reported->decision.event,
	                      .depth = reported->depth,
	                      .alternative = *alternative,
	                      .place = reported->decision.place,
	                      .past = reported->decision.past,
	                      .reachable = reported->decision.reachable,
	                      .covered = covered,
	                      .milliseconds = c->setup->deterministic ? 0 : (uint32_t)(cpu_us / 1000)};
	if (alternative->op == ALTERNATIVE_OTHER) {
		struct tree *tree = &c->inside->tree;
		const struct tree_values *values = tree_add_value(tree, f.place, reported->decision.value);
		uint64_t key = alternative->key;
		alternative->key = 0;
		s->unsure |= !values && tree->full;
		if (!values)
			return;
		if (values->n > 1) // the query for another value than those before is settled
			tree_set(tree, nth_key(key, values->n - 1), TREE_TAKEN);
		f.alternative.key = alternative->key = nth_key(key, values->n);
		f.rare = alternative->rare = values->n >= TREE_VALUES_FEW;
	}
	offer_edge(s, c, t, &f);
}

static void take_path(struct searcher *s, struct campaign *c, const struct work_item *t, struct result *r,
                      uint32_t covered)
{
	struct campaign_inside *in = c->inside;
	for (uint32_t i = 0; i < r->n_reported; i++) {
		const struct decision *d = &r->reported[i].decision;
		tree_set(&in->tree, d->key, TREE_TAKEN);
		tree_set(&in->edges, d->edge, TREE_TAKEN);
	}
	for (uint32_t i = 0; i < r->n_reported; i++)
		for (uint32_t k = 0; k < r->reported[i].decision.alternatives; k++)
			offer(s, c, t, &r->reported[i], &r->alternatives[r->reported[i].decision.first + k], covered,
			      r->run.cpu_us);
	strategy_ran(s->strategy, t->input, r, covered);
}

// Other tools get the inputs that they did not bring themselves.
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

// The input is DONE when the oracle has seen it, or need not.
static int store_run(struct campaign *c, const struct work_item *t, const struct result *r, uint32_t covered,
                     bool *ret_oracle, struct err *err)
{
	struct stored_input s;
	if (store_get_input(c->setup->store, t->input, &s, err) < 0)
		return -1;
	*ret_oracle = s.state != INPUT_DONE && (covered || campaign_needs_oracle(c, t, r));
	s.state = *ret_oracle ? INPUT_NEW : INPUT_DONE;
	s.in_corpus |= covered > 0;
	int stored = store_update_input(c->setup->store, &s, err);
	if (stored == 0 && covered)
		stored = report_corpus(c, &s, err);
	stored_input_release(&s);
	return stored;
}

static int take_run(struct searcher *s, struct campaign *c, const struct work_item *t, struct result *r,
                    struct err *err)
{
	uint32_t covered;
	bool oracle;
	campaign_count_run(c, t, r);
	if (campaign_take_cover(c, r, &covered, err) < 0 || campaign_take_names(c, r, err) < 0)
		return -1;
	take_path(s, c, t, r, covered);
	s->unsure |= r->unsure || (t->expect && !r->as_expected);
	if (store_run(c, t, r, covered, &oracle, err) < 0)
		return -1;
	if (oracle) {
		struct work_item item = *t;
		item.flags = JOB_ORACLE;
		item.expect = 0;
		work_queue_add(s->oracle, &item);
		c->counts.corpus += covered > 0;
	}
	if (oracle && covered && s->wants_care)
		campaign_want_care(c, t->input, t->seed, r->us_run);
	campaign_queue_idle(c, t, r);
	return 0;
}

// The solver left open whether the alternative is feasible, in a first segment.
static bool is_open(const struct result_answer *a, const struct candidate *f)
{
	return a->answer == ANSWER_UNKNOWN && !f->past && f->alternative.op != ALTERNATIVE_VIOLATE;
}

static int take_answers(struct searcher *s, struct campaign *c, struct worker_slot *slot, const struct result *r,
                        struct err *err)
{
	unsigned number = campaign_slot_number(c, slot);
	int64_t input;
	bool known;
	for (uint32_t i = 0; i < slot->n_candidates && i < r->n_answers; i++) {
		const struct candidate *f = &slot->candidates[i];
		if (campaign_take_answer(c, &slot->item, f, &r->answers[i], &input, &known, err) < 0)
			return -1;
		if (!slot->all_effort)
			strategy_answer(s->strategy, number, i, f->alternative.key, input);
		s->unsure |= is_open(&r->answers[i], f);
		efforts_answered(&s->efforts, c, f, &r->answers[i]);
	}
	// The time for solving was over: they wait again.
	for (uint32_t i = r->n_answers; i < slot->n_candidates && slot->item.milliseconds; i++) {
		s->n_checks += is_check(&slot->candidates[i]);
		to_strategy(s, &slot->candidates[i]);
	}
	if (slot->all_effort)
		c->inside->us_all_effort += (double)r->us_solve;
	else if (slot->n_candidates)
		strategy_answered(s->strategy, number, r);
	return 0;
}

int searcher_take(struct searcher *s, struct campaign *c, struct worker_slot *slot, struct result *r, struct err *err)
{
	const struct work_item *t = &slot->item;
	assert(t->input > 0);
	if ((t->flags & JOB_PATH) && take_run(s, c, t, r, err) < 0)
		return -1;
	if (t->flags & JOB_ORACLE)
		tree_set(&c->inside->oracle_saw, (uint64_t)t->input, TREE_TAKEN);
	if (take_answers(s, c, slot, r, err) < 0)
		return -1;
	return campaign_take_care(c, t, r, err); // before a finding uses it
}
