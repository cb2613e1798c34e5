// What becomes of results, whatever the driver: coverage, counters, answers, comparisons with native runs.
#include <assert.h>
#include <signal.h>
#include <string.h>

#include "base/mem.h"
#include "explore/driver.h"

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
	n->lossy += r->unmodelled || r->untraced;
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

// The oracle needs seconds to distinguish a hang from a long run: it has a tenth of the time for that, but for the
// first ones.
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

// --- answers -------------------------------------------------------------------------------------

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

// The solution is an input of the campaign from now on.
static int add_solution(struct campaign *c, const struct work_item *t, const struct candidate *f,
                        const struct result_answer *a, int64_t *ret_input, bool *ret_known, struct err *err)
{
	bool violates = f->alternative.op == ALTERNATIVE_VIOLATE;
	bool any = alternative_is_settled(&f->alternative) || f->alternative.op == ALTERNATIVE_OTHER;
	struct stored_input s = {.parent = t->input,
	                         .event = a->event,
	                         .changed = (int32_t)a->changed,
	                         .care = -1,
	                         .snapshot = t->snapshot};
	if (campaign_add_input(c, &a->input, &s, ret_known, err) < 0)
		return -1;
	const struct work_item run = {.input = s.id,
	                              .seed = t->seed,
	                              .flags = JOB_PATH,
	                              .expect = any ? 0 : f->alternative.key,
	                              .violating = violates,
	                              .program = t->program,
	                              .snapshot = t->snapshot,
	                              .depth = f->depth};
	c->setup->driver->add(c, t, &run, *ret_known);
	*ret_input = s.id;
	return 0;
}

int campaign_take_answer(struct campaign *c, const struct work_item *t, const struct candidate *f,
                         const struct result_answer *a, int64_t *ret_input, bool *ret_known, struct err *err)
{
	static const enum tree_state states[] = {TREE_UNSAT, TREE_SAT, TREE_UNKNOWN};
	static const enum flip_answer answers[] = {FLIP_UNSAT, FLIP_SAT, FLIP_UNKNOWN};
	bool violates = f->alternative.op == ALTERNATIVE_VIOLATE, sat = a->answer == ANSWER_SAT;
	assert((size_t)a->answer < sizeof states / sizeof *states);
	*ret_input = 0;
	*ret_known = false;
	c->counts.queries++;
	c->counts.checks += violates;
	if (violates)
		note_checked(c, f->alternative.edge);
	c->counts.sat += sat;
	c->counts.unsat += a->answer == ANSWER_UNSAT;
	c->counts.unknown += a->answer == ANSWER_UNKNOWN;
	tree_set(&c->inside->tree, f->alternative.key,
	         alternative_is_settled(&f->alternative) && sat ? TREE_TAKEN : states[a->answer]);
	if (sat && add_solution(c, t, f, a, ret_input, ret_known, err) < 0)
		return -1;
	const struct stored_flip flip = {.path = f->alternative.key, .answer = answers[a->answer], .input = *ret_input};
	return store_add_flip(c->setup->store, &flip, err);
}

// --- comparisons with native runs ----------------------------------------------------------------

void campaign_note_compared(struct campaign *c, int64_t input, const char *differs, bool report)
{
	struct campaign_inside *in = c->inside;
	assert(!differs || input);
	c->counts.compared += input != 0;
	c->counts.differing += differs != NULL;
	if (differs && !in->first_difference) {
		in->first_difference = mem_strdup(differs);
		in->first_differing = input;
	}
	if (!report || in->reported_differing || 100 * c->counts.differing <= CAMPAIGN_DIFFERS * c->counts.compared)
		return;
	in->reported_differing = true;
	if (c->setup->differs)
		c->setup->differs(c->setup->opaque, c, in->first_differing, in->first_difference);
}
