// What becomes of the results of amplification.
#include <assert.h>
#include <math.h>

#include "base/mem.h"
#include "explore/amplify_internal.h"
#include "explore/suite_search.h"

// --- comparisons with recordings -----------------------------------------------------------------

static int take_comparison(struct campaign *c, struct worker_slot *slot, const struct result *r, struct err *err)
{
	struct assignment *v = amplify_seat(c, slot)->assignment;
	assert(v && v->test->state == TEST_AT && !v->amplification);
	struct suite_test *t = v->test;
	if (v->early && r->outcome == OUTCOME_CUT_TIME) { // it needs more time than it has here
		suite_delay(amplify_of(c)->suite, t);
		amplify_give_back(c, slot);
		return 0;
	}
	t->matched = !r->differs;
	t->native_us = (int64_t)r->native_us;
	t->outcome = r->outcome;
	if (!r->differs || r->outcome == OUTCOME_DIFFERS)
		campaign_note_compared(c, t->input, r->differs, !v->early);
	if (r->differs) {
		mem_free(t->why);
		t->why = mem_strdup(r->differs);
		return amplify_past(c, slot, true, err);
	}
	c->counts.matched++;
	if (v->early)
		amplify_give_back(c, slot);
	else
		v->amplification = amplify_new_amplification(c, t);
	return 0;
}

static int take_match(struct campaign *c, struct worker_slot *slot, const struct result *r, struct err *err)
{
	bool early = amplify_seat(c, slot)->assignment->early;
	if (take_comparison(c, slot, r, err) < 0)
		return -1;
	if (early && amplify_compared_early(c))
		campaign_note_compared(c, 0, NULL, true);
	return 0;
}

// --- runs ----------------------------------------------------------------------------------------

// What of the recorded input's own run could be analysed.
static void classify_run(struct suite_test *t, const struct result *r)
{
	if (r->run.end == RUN_TIMEOUT)
		t->outcome = OUTCOME_CUT_TIME;
	else if (r->run.end == RUN_MEMORY || r->run.end == RUN_OUTPUT)
		t->outcome = OUTCOME_CUT_SIZE;
	else if (r->full || r->cut || r->damaged)
		t->outcome = OUTCOME_CUT_TRACE;
	else if (r->no_input)
		t->outcome = OUTCOME_NO_INPUT;
}

// Does the path have a pair of consecutive branch edges that no test before it had?
static bool adds_something(struct campaign *c, const struct result *r)
{
	uint64_t before = 0;
	bool adds = false;
	for (uint32_t i = 0; i < r->n_reported; i++) {
		const struct decision *d = &r->reported[i].decision;
		uint64_t pair = (before ^ d->edge * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
		adds |= tree_set(&amplify_of(c)->pairs, pair, TREE_TAKEN) == TREE_NEW;
		before = d->check ? before : d->edge;
	}
	return adds;
}

// The recorded input has run, and its trace held what depends on the scope's symbolic bytes.
static int take_recorded(struct campaign *c, struct suite_test *t, const struct result *r, struct err *err)
{
	classify_run(t, r);
	t->dropped |= !adds_something(c, r);
	return scoping_next(c, t, err);
}

static void enter_path(struct campaign *c, const struct result *r)
{
	for (uint32_t i = 0; i < r->n_reported; i++) {
		tree_set(&c->inside->tree, r->reported[i].decision.key, TREE_TAKEN);
		tree_set(&c->inside->edges, r->reported[i].decision.edge, TREE_TAKEN);
	}
}

// The search from all tests gets the first scope's run as a seed, and later runs that covered something.
static void enter_search(struct campaign *c, const struct assignment *v, const struct work_item *t, uint32_t covered)
{
	if (v->test->number)
		return;
	if (!t->expect && !v->ran)
		suite_search_seed(c, v->test);
	if (!t->expect || !covered)
		return;
	const struct work_item run = {
		.input = t->input, .seed = t->seed, .program = t->program, .snapshot = t->snapshot, .again = true};
	suite_search_enter(c, &run, true);
}

static int add_to_corpus(struct campaign *c, int64_t input, struct err *err)
{
	struct stored_input s;
	if (store_get_input(c->setup->store, input, &s, err) < 0)
		return -1;
	c->counts.corpus += !s.in_corpus;
	s.in_corpus = true;
	int stored = store_update_input(c->setup->store, &s, err);
	stored_input_release(&s);
	return stored;
}

static int take_run(struct campaign *c, struct worker_slot *slot, const struct result *r, struct err *err)
{
	const struct work_item *t = &slot->item;
	struct assignment *v = amplify_seat(c, slot)->assignment;
	bool recorded = !t->expect && !t->distance, narrowed = false;
	uint32_t covered;
	assert(v && v->amplification);
	if (recorded && scoping_ran(c, v->test, r, &narrowed, err) < 0)
		return -1;
	if (narrowed)
		c->counts.narrowed++;
	else
		campaign_count_run(c, t, r);
	if (campaign_take_cover(c, r, &covered, err) < 0 || campaign_take_names(c, r, err) < 0)
		return -1;
	if (narrowed) {
		amplify_end_assignment(c, slot);
		return 0;
	}
	enter_path(c, r);
	if (recorded && take_recorded(c, v->test, r, err) < 0)
		return -1;
	amplification_ran(v->amplification, r->reported, r->n_reported, r->alternatives);
	enter_search(c, v, t, covered);
	v->ran = true;
	return covered ? add_to_corpus(c, t->input, err) : 0;
}

// --- all results ---------------------------------------------------------------------------------

static int take_answers(struct campaign *c, struct worker_slot *slot, const struct result *r, struct err *err)
{
	const struct assignment *v = amplify_seat(c, slot)->assignment;
	for (uint32_t i = 0; i < slot->n_candidates && i < r->n_answers; i++) {
		const struct candidate *f = &slot->candidates[i];
		int64_t input;
		bool known;
		if (campaign_take_answer(c, &slot->item, f, &r->answers[i], &input, &known, err) < 0)
			return -1;
		// The oracle sees an input that the search solved first once more: then a finding has its distance.
		bool oracle = !known || amplify_of(c)->search;
		v->test->begun |= f->alternative.op == ALTERNATIVE_VIOLATE && r->answers[i].answer != ANSWER_UNKNOWN;
		amplification_solved(v->amplification, f, r->answers[i].answer, oracle ? input : 0);
	}
	return 0;
}

static int take_test(struct campaign *c, struct worker_slot *slot, const struct result *r, struct err *err)
{
	const struct work_item *t = &slot->item;
	if (t->flags & JOB_MATCH)
		return take_match(c, slot, r, err);
	if ((t->flags & JOB_PATH) && take_run(c, slot, r, err) < 0)
		return -1;
	return take_answers(c, slot, r, err) < 0 || (t->known && amplify_take_known(c, t, r, err) < 0) ? -1 : 0;
}

// What amplification and the search lead to, in the same measure: one run that covers much says little about the next,
// and an error is what a campaign is for.
static double worth(const struct campaign *c, const struct campaign_counts *was, uint32_t covered)
{
	static const double ERROR = 50, WARNING = 10;
	return ERROR * (double)(c->counts.errors - was->errors) +
	       WARNING * (double)(c->counts.warnings - was->warnings) + log2(1 + (double)covered);
}

int amplify_take(struct campaign *c, struct worker_slot *slot, struct result *r, struct err *err)
{
	const struct campaign_counts was = c->counts;
	uint32_t covered = cover_totals(c->setup->cover).edges.covered;
	int taken = slot->item.search ? searcher_take(suite_search_of(c, slot->item.program), c, slot, r, err)
	                              : take_test(c, slot, r, err);
	if (taken == 0 && (slot->item.flags & JOB_ORACLE))
		taken = campaign_take_verdicts(c, slot, r, &amplify_seat(c, slot)->oracle, err);
	covered = cover_totals(c->setup->cover).edges.covered - covered;
	suite_search_account(c, slot, worth(c, &was, covered));
	return taken;
}
