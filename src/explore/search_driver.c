#include "explore/search_driver.h"

#include <assert.h>

#include "base/mem.h"
#include "explore/driver.h"
#include "explore/mutation.h"
#include "explore/searcher.h"

enum { COMPARED = 64 }; // first inputs whose traced run is compared with the native one

struct search_state {
	const struct search_setup *setup;
	struct searcher searcher;
	struct mutation mutation;
	struct work_queue runs;    // inputs that have not run
	struct work_queue reruns;  // inputs of earlier sessions: seeds and the corpus
	struct work_queue replays; // all others of earlier sessions
	bool replay_next;
	bool seeded;       // all seeds have run
	double polled;     // when inputs of other tools were fetched
	unsigned matching; // inputs that are being compared with native runs
};

static struct search_state *state_of(const struct campaign *c)
{
	return c->inside->own;
}

static void start(struct campaign *c)
{
	struct search_state *s = mem_zero(sizeof *s);
	s->setup = c->setup->driver_setup;
	searcher_init(&s->searcher, c, &s->setup->strategy);
	s->searcher.wants_care = true;
	mutation_init(&s->mutation);
	c->inside->own = s;
}

static void release(struct campaign *c)
{
	struct search_state *s = state_of(c);
	work_queue_clear(&s->runs);
	work_queue_clear(&s->reruns);
	work_queue_clear(&s->replays);
	searcher_release(&s->searcher);
	mutation_release(&s->mutation);
	mem_free(s);
}

// --- inputs --------------------------------------------------------------------------------------

// The first inputs are compared with native runs: the search does not go on from one that tracing changes.
static void want_match(struct campaign *c, struct work_item *t)
{
	struct search_state *s = state_of(c);
	if (s->matching + c->counts.compared >= COMPARED)
		return;
	t->flags |= JOB_MATCH;
	s->matching++;
}

// Inputs of earlier sessions run again, which fills the tree: first those that cover something.
static int take_stored_input(void *opaque, const struct stored_input *in)
{
	struct campaign *c = opaque;
	struct search_state *s = state_of(c);
	// The solver may have made an input that is not DONE to violate a check.
	struct work_item t = {.input = in->id,
	                      .flags = JOB_PATH,
	                      .again = in->state == INPUT_DONE,
	                      .violating = in->state != INPUT_DONE};
	if (!in->data.len)
		return 0; // evicted: it is not in the corpus
	if (!in->parent)
		want_match(c, &t);
	bool covers = in->in_corpus || !in->parent;
	work_queue_add(!t.again ? &s->runs : covers ? &s->reruns : &s->replays, &t);
	c->counts.inputs++;
	if (in->in_corpus && in->care < 0 && in->state == INPUT_DONE)
		campaign_want_care(c, in->id, 0, 0);
	return 0;
}

static int load(struct campaign *c, struct err *err)
{
	struct search_state *s = state_of(c);
	if (store_each_input(c->setup->store, take_stored_input, c, err) < 0 || campaign_load_findings(c, err) < 0)
		return -1;
	c->first_session = !s->runs.n && !s->reruns.n && !s->replays.n;
	campaign_load_pending(c);
	return 0;
}

static int add_seeds(struct campaign *c, const struct input *seeds, size_t n, struct err *err)
{
	struct search_state *s = state_of(c);
	assert(c->inside->in_transaction);
	for (size_t i = 0; i < n; i++) {
		struct stored_input in = {.changed = -1, .care = -1};
		bool known;
		if (campaign_add_input(c, &seeds[i], &in, &known, err) < 0)
			return -1;
		struct work_item t = {.input = in.id, .seed = in.id, .flags = JOB_PATH};
		strategy_seed(s->searcher.strategy, in.id);
		if (!known && !s->seeded)
			want_match(c, &t);
		if (!known)
			work_queue_add(&s->runs, &t);
	}
	return 0;
}

static int seed(struct campaign *c, struct err *err)
{
	const struct search_setup *setup = state_of(c)->setup;
	return add_seeds(c, setup->seeds, setup->n_seeds, err);
}

static int add_more(struct campaign *c, const struct input *more, size_t n, struct err *err)
{
	if (campaign_begin(c, err) < 0 || add_seeds(c, more, n, err) < 0)
		return -1;
	return campaign_commit(c, err);
}

// What other tools have found since.
static int poll_tools(struct campaign *c, struct err *err)
{
	static const double EVERY = 1;
	struct search_state *s = state_of(c);
	struct input *more = NULL;
	size_t n = 0;
	if (!s->setup->more || campaign_now() - s->polled < EVERY)
		return 0;
	s->setup->more(c->setup->opaque, &more, &n);
	int r = n ? add_more(c, more, n, err) : 0;
	for (size_t i = 0; i < n; i++)
		input_release(&more[i]);
	mem_free(more);
	s->polled = campaign_now();
	return r;
}

static bool waits(const struct campaign *c)
{
	return state_of(c)->setup->more != NULL;
}

// --- choosing ------------------------------------------------------------------------------------

// When there are many inputs to replay, a hundred thousand perhaps, they take turns with the strategy: a few queries
// that were issued before are better than a minute in which nothing is new.
static bool take_input(struct search_state *s, struct work_item *ret)
{
	enum { FEW = 1000 };
	if (work_queue_take(&s->runs, ret) || work_queue_take(&s->reruns, ret))
		return true;
	s->replay_next = !s->replay_next || s->replays.n <= FEW;
	return s->replay_next && work_queue_take(&s->replays, ret);
}

// Nothing is under way that could lead to more candidates.
static bool is_alone(const struct campaign *c)
{
	const struct search_state *s = state_of(c);
	for (unsigned i = 0; i < c->inside->n_slots; i++)
		if (c->inside->slots[i].works)
			return false;
	return !s->runs.n && !s->reruns.n && !s->replays.n;
}

static bool choose_candidates(struct campaign *c, struct worker_slot *slot)
{
	struct search_state *s = state_of(c);
	if (!s->seeded)
		c->before = cover_totals(c->setup->cover);
	s->seeded = true;
	if (!searcher_choose(&s->searcher, c, slot, is_alone(c)))
		return false;
	if (campaign_wants_care_now(c, slot->item.input))
		slot->item.flags |= JOB_CARE;
	return true;
}

// The symbolic search is over, and has left something out: what is left of the budget is for mutation.
static bool choose_mutation(struct campaign *c, struct worker_slot *slot)
{
	bool bounded = c->setup->seconds > 0 || c->setup->runs;
	return bounded && !campaign_is_whole(c) && mutation_choose(&state_of(c)->mutation, c, slot);
}

static int choose(struct campaign *c, struct worker_slot *slot, struct err *err)
{
	(void)err;
	struct search_state *s = state_of(c);
	struct work_item *t = &slot->item;
	if (!c->setup->deterministic && campaign_has_time_for_care(c) && campaign_choose_care(c, t))
		return 1;
	if (work_queue_take(&c->inside->oracle, t) || take_input(s, t))
		return 1;
	if (mutation_is_due(&s->mutation, c) && mutation_choose(&s->mutation, c, slot))
		return 1;
	return choose_candidates(c, slot) || work_queue_take(&s->replays, t) || campaign_choose_care(c, t) ||
	       campaign_take_idle(c, t) || choose_mutation(c, slot);
}

static int fill(struct campaign *c, struct worker_slot *slot, const struct stored_input *stored, struct job *j,
                struct err *err)
{
	(void)stored, (void)err;
	if (slot->item.flags & JOB_MUTATE)
		j->runs = mutation_runs(c);
	else
		searcher_fill(&state_of(c)->searcher, &slot->item, j);
	return 0;
}

static int evicted(struct campaign *c, struct worker_slot *slot, struct err *err)
{
	(void)err;
	if (!(slot->item.flags & JOB_MUTATE))
		searcher_evicted(&state_of(c)->searcher, c, slot);
	return 0;
}

// --- results -------------------------------------------------------------------------------------

// True: tracing changes what the program does with this input, so the search does not go on from it.
static bool is_other(struct campaign *c, const struct work_item *t, const struct result *r)
{
	struct search_state *s = state_of(c);
	if (!(t->flags & JOB_MATCH))
		return false;
	assert(s->matching);
	s->matching--;
	campaign_note_compared(c, t->input, r->differs, !s->matching);
	return r->differs;
}

// What the symbolic search cannot go on from by itself.
static void note_open(struct campaign *c, const struct worker_slot *slot, const struct result *r)
{
	struct search_state *s = state_of(c);
	const struct work_item *t = &slot->item;
	if (r->n_cover)
		mutation_note(&s->mutation, c->elapsed);
	if ((t->flags & JOB_PATH) && (r->n_cover || (t->expect && !r->as_expected)))
		mutation_add(&s->mutation, t);
	for (uint32_t i = 0; i < slot->n_candidates && i < r->n_answers; i++)
		if (r->answers[i].answer == ANSWER_UNKNOWN)
			mutation_open(&s->mutation, t, &slot->candidates[i]);
}

static int take(struct campaign *c, struct worker_slot *slot, struct result *r, struct err *err)
{
	if (slot->item.flags & JOB_MUTATE)
		return mutation_take(&state_of(c)->mutation, c, slot, r, err);
	if (is_other(c, &slot->item, r))
		return campaign_finish_input(c, slot->item.input, err);
	note_open(c, slot, r);
	if (searcher_take(&state_of(c)->searcher, c, slot, r, err) < 0)
		return -1;
	return slot->item.flags & JOB_ORACLE ? campaign_take_verdicts(c, slot, r, &c->inside->oracle, err) : 0;
}

static void lost(struct campaign *c, struct worker_slot *slot)
{
	struct search_state *s = state_of(c);
	s->matching -= (slot->item.flags & JOB_MATCH) != 0;
	if (!(slot->item.flags & JOB_MUTATE))
		searcher_lost(&s->searcher, c, slot);
}

static void add(struct campaign *c, const struct work_item *from, const struct work_item *run, bool known)
{
	(void)from;
	struct work_item t = *run;
	t.depth = 0; // findings of a search have no depth
	if (!known)
		work_queue_add(&state_of(c)->runs, &t);
}

static void measure(struct campaign *c)
{
	const struct search_state *s = state_of(c);
	c->waiting = strategy_waiting(s->searcher.strategy) + s->runs.n + c->inside->oracle.n;
	c->replays = s->reruns.n + s->replays.n;
}

static void end(struct campaign *c)
{
	const struct strategy *strategy = state_of(c)->searcher.strategy;
	c->has_weights = strategy_weights(strategy, c->weights);
	strategy_report(strategy, &c->search);
}

const struct driver driver_search = {
	.start = start,
	.release = release,
	.load = load,
	.seed = seed,
	.poll = poll_tools,
	.waits = waits,
	.choose = choose,
	.fill = fill,
	.evicted = evicted,
	.take = take,
	.lost = lost,
	.add = add,
	.measure = measure,
	.end = end,
};
