#include "explore/fragment_driver.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "explore/driver.h"
#include "explore/fragment_outcome.h"
#include "explore/lifting.h"
#include "explore/remaining.h"
#include "explore/searcher.h"
#include "explore/selection.h"
#include "input/fragment.h"

// What the driver has of a fragment; the plan has the rest, under the same number.
struct explored {
	uint64_t name;             // of its FRAGMENT part; 0: whole runs
	struct searcher *searcher; // NULL: it was not explored yet, or is exhausted
	struct work_queue runs;    // inputs that have not run, or are of earlier sessions
	bool seeded;               // its first input is in the store
	struct fragment_outcome outcome;
	const struct driver_state *state;
};

struct assignment {                     // of a slot
	struct plan_fragment *fragment; // NULL: none
	double used;                    // seconds of its slice
	uint32_t had;                   // segments that the fragment had covered before
	uint32_t changes;               // of what remains, when it was last asked whether it can cover something
};

struct named {
	uint64_t name;
	uint32_t number; // of the fragment
};

struct driver_state {
	const struct fragment_driver_setup *setup;
	struct progressive plan;
	struct explored *explored;      // as many as the plan has fragments
	struct named *names;            // likewise, in order
	struct assignment *assignments; // as many as there are slots
	struct remaining remaining;
	struct selection selection; // of inputs that enter fragments
	struct lifting lifting;     // of possible findings
	bool ended;                 // the plan has nothing left
};

static struct driver_state *state_of(const struct campaign *c)
{
	return c->inside->own;
}

static uint32_t number_of(const struct driver_state *s, const struct plan_fragment *f)
{
	return (uint32_t)(f - s->plan.fragments);
}

static struct explored *explored_of(const struct driver_state *s, const struct plan_fragment *f)
{
	return &s->explored[number_of(s, f)];
}

// --- what is left to cover -----------------------------------------------------------------------

static uint32_t left(void *opaque, uint32_t function)
{
	const struct driver_state *s = opaque;
	return s->remaining.left[function];
}

static uint32_t left_at(void *opaque, uint32_t function, uint32_t marker)
{
	const struct driver_state *s = opaque;
	return remaining_at(&s->remaining, function, marker);
}

// --- start and end -------------------------------------------------------------------------------

static int compare_names(const void *a, const void *b)
{
	uint64_t x = ((const struct named *)a)->name, y = ((const struct named *)b)->name;
	return x < y ? -1 : x > y;
}

static void name_fragments(struct driver_state *s)
{
	s->names = mem_zero((s->plan.n_fragments + 1) * sizeof *s->names);
	for (uint32_t i = 0; i < s->plan.n_fragments; i++) {
		struct input first = {0};
		if (s->plan.fragments[i].phase != PHASE_INP) {
			s->setup->first(s->setup->opaque, &s->plan.fragments[i], &first);
			s->explored[i].name = fragment_name(&first);
			assert(s->explored[i].name);
		}
		s->names[i] = (struct named){s->explored[i].name, i};
		input_release(&first);
	}
	qsort(s->names, s->plan.n_fragments, sizeof *s->names, compare_names);
}

// UINT32_MAX: none has this name.
static uint32_t find_fragment(const struct driver_state *s, uint64_t name)
{
	const struct named key = {.name = name},
			   *found = bsearch(&key, s->names, s->plan.n_fragments, sizeof key, compare_names);
	return found ? found->number : UINT32_MAX;
}

static uint32_t fragment_named(void *opaque, uint64_t name)
{
	return find_fragment(opaque, name);
}

static void start(struct campaign *c)
{
	struct driver_state *s = mem_zero(sizeof *s);
	s->setup = c->setup->driver_setup;
	struct progressive_setup plan = s->setup->plan;
	plan.left = left;
	plan.left_at = left_at;
	plan.opaque = s;
	progressive_init(&s->plan, &plan);
	const struct remaining_setup remaining = {plan.n_functions, s->setup->function, s->setup->opaque};
	remaining_init(&s->remaining, c->setup->cover, &remaining, c->setup->store);
	selection_init(&s->selection, s->remaining.n);
	s->explored = mem_zero((s->plan.n_fragments + 1) * sizeof *s->explored);
	s->assignments = mem_zero(c->inside->n_slots * sizeof *s->assignments);
	name_fragments(s);
	const struct lifting_setup lifting = {
		.assess = s->setup->assess, .fragment = fragment_named, .assess_opaque = s->setup->opaque, .opaque = s};
	lifting_init(&s->lifting, &lifting);
	c->inside->own = s;
}

// Runs of these come by every way from the marker that they begin at to the next one: callees are stubs, or there are
// none.
static bool begins_segment(const struct driver_state *s, const struct explored *e)
{
	const struct plan_fragment *f = &s->plan.fragments[e - s->explored];
	return f->phase == PHASE_STUB || f->phase == PHASE_INT ||
	       (f->phase == PHASE_EXT && !s->setup->plan.functions[f->function].has_stubs);
}

static bool leads(void *opaque, const struct candidate *f)
{
	const struct explored *e = opaque;
	const struct plan_fragment *of = &e->state->plan.fragments[e - e->state->explored];
	return remaining_leads(&e->state->remaining, of->function, of->marker, &f->ways);
}

// Made when it is needed first. An exhausted fragment needs one again when the oracle sees one of its inputs late.
static struct searcher *search_of(struct campaign *c, struct explored *e)
{
	if (!e->searcher) {
		e->searcher = mem_zero(sizeof *e->searcher);
		searcher_init(e->searcher, c, &state_of(c)->setup->strategy);
		e->searcher->wants_care = true;
		e->searcher->bounded = e->name != 0;
		e->searcher->by_segment = begins_segment(state_of(c), e);
		e->searcher->leads = leads;
		e->searcher->opaque = e;
		e->state = state_of(c);
	}
	return e->searcher;
}

static void forget_search(struct explored *e)
{
	if (!e->searcher)
		return;
	searcher_release(e->searcher);
	mem_free(e->searcher);
	e->searcher = NULL;
}

static void release(struct campaign *c)
{
	struct driver_state *s = state_of(c);
	for (uint32_t i = 0; i < s->plan.n_fragments; i++) {
		forget_search(&s->explored[i]);
		work_queue_clear(&s->explored[i].runs);
	}
	progressive_release(&s->plan);
	mem_free(s->explored);
	mem_free(s->names);
	mem_free(s->assignments);
	remaining_release(&s->remaining);
	selection_release(&s->selection);
	lifting_release(&s->lifting);
	mem_free(s);
}

static void drop_input(void *opaque, int64_t id)
{
	const struct campaign *c = opaque;
	struct stored_input s;
	struct err ignored; // it is kept, then
	if (store_get_input(c->setup->store, id, &s, &ignored) < 0)
		return;
	s.in_corpus = false;
	store_update_input(c->setup->store, &s, &ignored);
	stored_input_release(&s);
}

static void end(struct campaign *c)
{
	struct driver_state *s = state_of(c);
	struct err ignored;
	if (campaign_begin(c, &ignored) == 0)
		selection_end(&s->selection, drop_input, c);
	for (uint32_t i = 0; i < s->plan.n_fragments && s->setup->ended; i++)
		s->setup->ended(s->setup->opaque, &s->plan.fragments[i], &s->explored[i].outcome);
}

// --- what earlier sessions left ------------------------------------------------------------------

static char *exhausted_key(uint64_t name)
{
	return mem_printf("fragment.%016llx", (unsigned long long)name);
}

static void load_exhausted(struct campaign *c)
{
	struct driver_state *s = state_of(c);
	for (uint32_t i = 0; i < s->plan.n_fragments; i++) {
		char *key = exhausted_key(s->explored[i].name);
		if (store_get_number(c->setup->store, key, 0))
			progressive_exhaust(&s->plan, &s->plan.fragments[i]);
		mem_free(key);
	}
}

// Inputs of fragments that are not exhausted run again, which fills the tree.
static int take_stored_input(void *opaque, const struct stored_input *in)
{
	struct campaign *c = opaque;
	struct driver_state *s = state_of(c);
	struct input input;
	struct err err;
	if (!in->data.len || input_decode(&input, in->data.data, in->data.len, &err) < 0)
		return 0; // evicted: it is not in the corpus
	uint64_t name = fragment_name(&input);
	uint32_t f = find_fragment(s, name);
	input_release(&input);
	if (!name && (in->in_corpus || !in->parent))
		lifting_add_input(&s->lifting, in->id);
	c->counts.inputs++;
	if (f == UINT32_MAX)
		return 0; // of a phase, or of functions, that this session leaves out
	s->explored[f].seeded |= !in->parent;
	const struct work_item t = {.input = in->id,
	                            .flags = JOB_PATH,
	                            .again = in->state == INPUT_DONE,
	                            .violating = in->state != INPUT_DONE,
	                            .fragment = f};
	if (!s->plan.fragments[f].exhausted)
		work_queue_add(&s->explored[f].runs, &t);
	if (in->in_corpus && in->care < 0 && in->state == INPUT_DONE)
		campaign_want_care(c, in->id, 0, 0);
	c->first_session = false;
	return 0;
}

static int load(struct campaign *c, struct err *err)
{
	c->first_session = true;
	load_exhausted(c);
	if (store_each_input(c->setup->store, take_stored_input, c, err) < 0 || campaign_load_findings(c, err) < 0)
		return -1;
	campaign_load_pending(c);
	return lifting_update(&state_of(c)->lifting, c, err);
}

// --- choosing ------------------------------------------------------------------------------------

static int add_first(struct campaign *c, uint32_t number, const struct input *in, struct err *err)
{
	struct explored *e = &state_of(c)->explored[number];
	struct stored_input stored = {.changed = -1, .care = -1};
	bool known;
	if (campaign_begin(c, err) < 0 || campaign_add_input(c, in, &stored, &known, err) < 0)
		return -1;
	if (state_of(c)->plan.fragments[number].phase == PHASE_INP)
		lifting_add_input(&state_of(c)->lifting, stored.id);
	const struct work_item t = {
		.input = stored.id, .seed = stored.id, .flags = JOB_PATH, .fragment = number, .again = known};
	work_queue_add(&e->runs, &t);
	return 0;
}

static int seed_fragment(struct campaign *c, const struct plan_fragment *f, struct err *err)
{
	struct driver_state *s = state_of(c);
	const struct fragment_driver_setup *setup = s->setup;
	uint32_t number = number_of(s, f);
	int r = 0;
	if (f->phase == PHASE_INP) {
		for (size_t i = 0; i < setup->n_seeds && r == 0; i++)
			r = add_first(c, number, &setup->seeds[i], err);
	} else {
		struct input first = {0};
		setup->first(setup->opaque, f, &first);
		r = add_first(c, number, &first, err);
		input_release(&first);
	}
	s->explored[number].seeded = r == 0;
	return r;
}

static int enter_fragment(struct campaign *c, struct assignment *a, struct plan_fragment *f, struct err *err)
{
	struct explored *e = explored_of(state_of(c), f);
	*a = (struct assignment){
		.fragment = f, .had = e->outcome.segments, .changes = state_of(c)->remaining.changes - 1};
	return e->seeded ? 0 : seed_fragment(c, f, err);
}

// `exhausted`: nothing is left to try there, also in later sessions.
static int leave_fragment(struct campaign *c, struct assignment *a, bool exhausted, struct err *err)
{
	struct driver_state *s = state_of(c);
	struct explored *e = explored_of(s, a->fragment);
	int r = 0;
	a->fragment->has_checks = e->searcher && e->searcher->n_checks;
	exhausted &= !e->searcher || !e->searcher->only_checks; // what is no check waits
	progressive_explored(&s->plan, a->fragment, a->used, e->outcome.segments - a->had, exhausted);
	if (exhausted) {
		char *key = exhausted_key(e->name);
		forget_search(e);
		r = campaign_begin(c, err) < 0 ? -1 : store_set_number(c->setup->store, key, 1, err);
		mem_free(key);
	}
	*a = (struct assignment){0};
	return r;
}

// Queries end with the slice: a batch of hard ones would take the time of all other fragments.
static uint32_t time_for_queries(const struct campaign *c, const struct assignment *a)
{
	enum { LEAST_MS = 20 };
	double left = 1000 * (a->fragment->slice - a->used);
	return c->setup->deterministic ? 0 : left > LEAST_MS ? (uint32_t)left : LEAST_MS;
}

// Nothing is left to try in the first segment of these runs.
static int end_segment(struct campaign *c, const struct plan_fragment *f, struct err *err)
{
	struct driver_state *s = state_of(c);
	struct searcher *search = explored_of(s, f)->searcher;
	searcher_end_segment(search);
	if (search->unsure)
		return 0;
	return campaign_begin(c, err) < 0
	               ? -1
	               : remaining_settle(&s->remaining, f->function, f->marker, c->setup->store, err);
}

// Only this slot explores the fragment, and it is idle: what is not waiting now will not come. Returns 1 when it has
// something to do.
static int choose_in(struct campaign *c, struct worker_slot *slot, const struct assignment *a, struct err *err)
{
	struct driver_state *s = state_of(c);
	const struct plan_fragment *f = a->fragment;
	struct explored *e = explored_of(s, f);
	while (!work_queue_take(&e->runs, &slot->item) && !searcher_choose(search_of(c, e), c, slot, true)) {
		if (!e->searcher->by_segment || e->searcher->segment_ended || e->searcher->only_checks)
			return 0;
		if (end_segment(c, f, err) < 0)
			return -1;
	}
	slot->item.fragment = number_of(s, f);
	if (slot->n_candidates)
		slot->item.milliseconds = time_for_queries(c, a);
	if (slot->n_candidates && campaign_wants_care_now(c, slot->item.input))
		slot->item.flags |= JOB_CARE;
	return 1;
}

// Whether the fragment has used its time, or has nothing left to cover and no check left to solve.
static bool is_over(struct campaign *c, struct assignment *a)
{
	struct driver_state *s = state_of(c);
	struct searcher *search = search_of(c, explored_of(s, a->fragment));
	if (a->used >= a->fragment->slice)
		return true;
	if (explored_of(s, a->fragment)->runs.n)
		return false;
	if (a->changes != s->remaining.changes) {
		a->changes = s->remaining.changes;
		searcher_set_only_checks(search, !progressive_is_open(&s->plan, a->fragment));
	}
	return search->only_checks && !search->n_checks;
}

// Returns 1 when the slot has something to do, 0 when the plan has nothing for it now.
static int choose_fragment(struct campaign *c, struct worker_slot *slot, struct err *err)
{
	struct driver_state *s = state_of(c);
	struct assignment *a = &s->assignments[campaign_slot_number(c, slot)];
	for (;;) {
		bool over = a->fragment && is_over(c, a);
		int chosen = a->fragment && !over ? choose_in(c, slot, a, err) : 0;
		if (chosen)
			return chosen;
		if (a->fragment && leave_fragment(c, a, !over, err) < 0)
			return -1;
		struct plan_fragment *next = progressive_next(&s->plan, &s->ended);
		if (!next)
			return 0;
		if (enter_fragment(c, a, next, err) < 0)
			return -1;
	}
}

// Possible findings come second: minimising one takes as long as exploring a function.
static bool has_time_for_oracle(const struct campaign *c)
{
	enum { SHARE = 5 };
	return c->setup->deterministic || (double)c->counts.us_oracle * SHARE < 1e6 * c->wall * c->inside->n_slots;
}

// To lead whole runs there comes third.
static bool has_time_to_lift(const struct campaign *c)
{
	enum { SHARE = 5 };
	return c->setup->deterministic || (double)state_of(c)->lifting.us * SHARE < 1e6 * c->wall * c->inside->n_slots;
}

static int choose(struct campaign *c, struct worker_slot *slot, struct err *err)
{
	struct work_item *t = &slot->item;
	if (lifting_choose(&state_of(c)->lifting, has_time_to_lift(c), t))
		return 1;
	if (has_time_for_oracle(c) && work_queue_take(&c->inside->oracle, t))
		return 1;
	if (!c->setup->deterministic && campaign_has_time_for_care(c) && campaign_choose_care(c, t))
		return 1;
	int chosen = choose_fragment(c, slot, err);
	return chosen ? chosen
	              : work_queue_take(&c->inside->oracle, t) || lifting_choose(&state_of(c)->lifting, true, t) ||
	                        campaign_choose_care(c, t) || campaign_take_idle(c, t);
}

static int fill(struct campaign *c, struct worker_slot *slot, const struct stored_input *stored, struct job *j,
                struct err *err)
{
	(void)stored;
	struct driver_state *s = state_of(c);
	if (slot->item.flags & LIFTING_FLAGS)
		return lifting_fill(&s->lifting, c, &slot->item, j, err);
	searcher_fill(search_of(c, &s->explored[slot->item.fragment]), &slot->item, j);
	if ((slot->item.flags & JOB_PATH) && s->plan.fragments[slot->item.fragment].phase != PHASE_INP)
		j->flags |= JOB_SEGMENTS;
	return 0;
}

static int evicted(struct campaign *c, struct worker_slot *slot, struct err *err)
{
	(void)err;
	if (slot->item.flags & LIFTING_FLAGS) {
		lifting_lost(&state_of(c)->lifting, &slot->item);
		return 0;
	}
	searcher_evicted(search_of(c, &state_of(c)->explored[slot->item.fragment]), c, slot);
	return 0;
}

// --- results -------------------------------------------------------------------------------------

// Slices are spent by the clock, or, where no clock may decide, by jobs.
static void spend(struct campaign *c, struct worker_slot *slot)
{
	static const double EACH = 0.001;
	struct assignment *a = &state_of(c)->assignments[campaign_slot_number(c, slot)];
	a->used += c->setup->deterministic ? EACH : campaign_now() - slot->sent;
}

// What is covered since `before` counts for the fragment's phase.
static int count_covered(struct campaign *c, const struct plan_fragment *f, const struct cover_totals *before,
                         struct err *err)
{
	struct driver_state *s = state_of(c);
	struct cover_totals now = cover_totals(c->setup->cover);
	const uint32_t segments = now.segments.covered - before->segments.covered;
	if (!segments && now.edges.covered == before->edges.covered && now.lines.covered == before->lines.covered)
		return 0;
	explored_of(s, f)->outcome.segments += segments;
	if (campaign_begin(c, err) < 0 ||
	    fragment_count_phase(c->setup->store, f->phase, "segments", segments, err) < 0 ||
	    fragment_count_phase(c->setup->store, f->phase, "lines", now.lines.covered - before->lines.covered, err) <
	            0 ||
	    fragment_count_phase(c->setup->store, f->phase, "branches", now.edges.covered - before->edges.covered,
	                         err) < 0)
		return -1;
	return segments ? remaining_cover(&s->remaining, f->phase, c->setup->store, err) : 0;
}

// Its input may be better than others that cover the same. What covers something that is no segment stays.
static int offer_to_selection(struct campaign *c, struct worker_slot *slot, const struct result *r,
                              const struct cover_totals *before, struct err *err)
{
	const struct cover_totals now = cover_totals(c->setup->cover);
	struct stored_input s;
	if (!r->segments)
		return 0;
	const struct selection_run run = {
		.input = slot->item.input,
		.length = r->length,
		.faults = r->run.end != RUN_EXITED,
		.passed = r->segments,
		.n_passed = r->n_segments,
		.keeps = now.segments.covered == before->segments.covered &&
	                 (now.edges.covered > before->edges.covered || now.lines.covered > before->lines.covered)};
	if (!selection_offer(&state_of(c)->selection, &run))
		return 0;
	if (campaign_begin(c, err) < 0 || store_get_input(c->setup->store, run.input, &s, err) < 0)
		return -1;
	bool was = s.in_corpus;
	s.in_corpus = true;
	int stored = was ? 0 : store_update_input(c->setup->store, &s, err);
	stored_input_release(&s);
	if (stored == 0 && !was)
		campaign_want_care(c, run.input, slot->item.seed, r->us_run);
	return stored;
}

static int take_verdicts(struct campaign *c, struct worker_slot *slot, const struct result *r, struct err *err)
{
	if (campaign_take_verdicts(c, slot, r, &c->inside->oracle, err) < 0)
		return -1;
	bool is_finding = (slot->item.flags & JOB_MINIMISE) && r->n_verdicts;
	return is_finding ? lifting_update(&state_of(c)->lifting, c, err) : 0;
}

static int take(struct campaign *c, struct worker_slot *slot, struct result *r, struct err *err)
{
	struct driver_state *s = state_of(c);
	const struct plan_fragment *f = &s->plan.fragments[slot->item.fragment];
	struct explored *e = explored_of(s, f);
	const struct cover_totals before = cover_totals(c->setup->cover);
	if (slot->item.flags & LIFTING_FLAGS)
		return lifting_take(&s->lifting, c, &slot->item, r, err);
	spend(c, slot);
	fragment_outcome_add(&e->outcome, &slot->item, r);
	if (searcher_take(search_of(c, e), c, slot, r, err) < 0)
		return -1;
	if (count_covered(c, f, &before, err) < 0 || offer_to_selection(c, slot, r, &before, err) < 0)
		return -1;
	if (f->phase == PHASE_INP && (slot->item.flags & JOB_PATH) && r->changed_cover)
		lifting_add_input(&s->lifting, slot->item.input);
	return slot->item.flags & JOB_ORACLE ? take_verdicts(c, slot, r, err) : 0;
}

static void lost(struct campaign *c, struct worker_slot *slot)
{
	if (slot->item.flags & LIFTING_FLAGS) {
		lifting_lost(&state_of(c)->lifting, &slot->item);
		return;
	}
	spend(c, slot);
	searcher_lost(search_of(c, &state_of(c)->explored[slot->item.fragment]), c, slot);
}

static void add(struct campaign *c, const struct work_item *from, const struct work_item *run, bool known)
{
	struct driver_state *s = state_of(c);
	struct work_item t = *run;
	t.depth = 0; // findings of a search have no depth
	t.fragment = from->fragment;
	if (known)
		return;
	work_queue_add(&s->explored[t.fragment].runs, &t);
	s->plan.fragments[t.fragment].exhausted = false; // the minimiser may come to an input that is new
}

// When the budget is used up: what findings need, and whole runs as far as there is time.
static bool pending(struct campaign *c, struct worker_slot *slot, struct work_item *ret)
{
	return slot && lifting_choose(&state_of(c)->lifting, true, ret);
}

static void measure(struct campaign *c)
{
	const struct driver_state *s = state_of(c);
	c->waiting = c->inside->oracle.n;
	for (uint32_t i = 0; i < s->plan.n_fragments; i++)
		c->waiting += !s->plan.fragments[i].exhausted;
}

// Every fragment that could cover something was explored until nothing was left.
static bool is_complete(const struct campaign *c)
{
	return state_of(c)->ended;
}

const struct driver driver_fragments = {
	.start = start,
	.release = release,
	.load = load,
	.choose = choose,
	.fill = fill,
	.evicted = evicted,
	.take = take,
	.lost = lost,
	.add = add,
	.pending = pending,
	.measure = measure,
	.end = end,
	.is_complete = is_complete,
};
