// Which fragment a worker explores: it stays with one for the slice that the plan gives it, or until nothing is left to
// try there. Each fragment has a search of its own.
#include "base/mem.h"
#include "explore/fragment_internal.h"

// --- the search of a fragment --------------------------------------------------------------------

// Runs of these take every path from the marker that they begin at to the next one: callees are stubs, or there are
// none.
static bool begins_segment(const struct driver_state *s, const struct explored *e)
{
	assert(e >= s->explored && e < s->explored + s->plan.n_fragments);
	const struct plan_fragment *f = &s->plan.fragments[e - s->explored];
	return f->phase == PHASE_STUB || f->phase == PHASE_INT ||
	       (f->phase == PHASE_EXT && !s->setup->plan.functions[f->function].has_stubs);
}

static bool leads(void *opaque, const struct candidate *f)
{
	const struct explored *e = opaque;
	const struct plan_fragment *of = &e->state->plan.fragments[e - e->state->explored];
	return remaining_leads(&e->state->remaining, of->function, of->marker, &f->reachable);
}

struct searcher *fragments_search(struct campaign *c, struct explored *e)
{
	if (!e->searcher) {
		e->searcher = mem_zero(sizeof *e->searcher);
		searcher_init(e->searcher, c, &fragments_of(c)->setup->strategy);
		e->searcher->wants_care = true;
		e->searcher->bounded = e->name != 0;
		e->searcher->by_segment = begins_segment(fragments_of(c), e);
		e->searcher->leads = leads;
		e->searcher->opaque = e;
		e->state = fragments_of(c);
	}
	return e->searcher;
}

void fragments_forget_search(struct explored *e)
{
	if (!e->searcher)
		return;
	searcher_release(e->searcher);
	mem_free(e->searcher);
	e->searcher = NULL;
}

// --- slices --------------------------------------------------------------------------------------

char *fragments_exhausted_key(uint64_t name)
{
	return mem_printf("fragment.%016llx", (unsigned long long)name);
}

static int add_first(struct campaign *c, uint32_t number, const struct input *in, struct err *err)
{
	struct explored *e = &fragments_of(c)->explored[number];
	struct stored_input stored = {.changed = -1, .care = -1};
	bool known;
	if (campaign_begin(c, err) < 0 || campaign_add_input(c, in, &stored, &known, err) < 0)
		return -1;
	if (fragments_of(c)->plan.fragments[number].phase == PHASE_INP)
		lifting_add_input(&fragments_of(c)->lifting, stored.id);
	const struct work_item t = {
		.input = stored.id, .seed = stored.id, .flags = JOB_PATH, .fragment = number, .again = known};
	work_queue_add(&e->runs, &t);
	return 0;
}

static int seed_fragment(struct campaign *c, const struct plan_fragment *f, struct err *err)
{
	struct driver_state *s = fragments_of(c);
	const struct fragment_driver_setup *setup = s->setup;
	uint32_t number = fragments_number(s, f);
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
	struct explored *e = fragments_explored(fragments_of(c), f);
	assert(!a->fragment && f->busy && !f->exhausted);
	*a = (struct assignment){
		.fragment = f, .had = e->outcome.segments, .changes = fragments_of(c)->remaining.changes - 1};
	return e->seeded ? 0 : seed_fragment(c, f, err);
}

// `exhausted`: nothing is left to try there, also in later sessions.
static int leave_fragment(struct campaign *c, struct assignment *a, bool exhausted, struct err *err)
{
	struct driver_state *s = fragments_of(c);
	struct explored *e = fragments_explored(s, a->fragment);
	int r = 0;
	assert(e->outcome.segments >= a->had);
	a->fragment->has_checks = e->searcher && e->searcher->n_checks;
	exhausted &= !e->searcher || !e->searcher->only_checks; // what is no check waits
	progressive_explored(&s->plan, a->fragment, a->used, e->outcome.segments - a->had, exhausted);
	if (exhausted) {
		char *key = fragments_exhausted_key(e->name);
		fragments_forget_search(e);
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
	struct driver_state *s = fragments_of(c);
	struct searcher *search = fragments_explored(s, f)->searcher;
	assert(search && search->by_segment);
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
	struct driver_state *s = fragments_of(c);
	const struct plan_fragment *f = a->fragment;
	struct explored *e = fragments_explored(s, f);
	while (!work_queue_take(&e->runs, &slot->item) && !searcher_choose(fragments_search(c, e), c, slot, true)) {
		if (!e->searcher->by_segment || e->searcher->segment_ended || e->searcher->only_checks)
			return 0;
		if (end_segment(c, f, err) < 0)
			return -1;
	}
	slot->item.fragment = fragments_number(s, f);
	if (slot->n_candidates)
		slot->item.milliseconds = time_for_queries(c, a);
	if (slot->n_candidates && campaign_wants_care_now(c, slot->item.input))
		slot->item.flags |= JOB_CARE;
	return 1;
}

// Whether the fragment has used its time, or has nothing left to cover and no check left to solve.
static bool is_over(struct campaign *c, struct assignment *a)
{
	struct driver_state *s = fragments_of(c);
	struct searcher *search = fragments_search(c, fragments_explored(s, a->fragment));
	if (a->used >= a->fragment->slice)
		return true;
	if (fragments_explored(s, a->fragment)->runs.n)
		return false;
	if (a->changes != s->remaining.changes) {
		a->changes = s->remaining.changes;
		searcher_set_only_checks(search, !progressive_is_open(&s->plan, a->fragment));
	}
	return search->only_checks && !search->n_checks;
}

int fragments_choose(struct campaign *c, struct worker_slot *slot, struct err *err)
{
	struct driver_state *s = fragments_of(c);
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

void fragments_spend(struct campaign *c, struct worker_slot *slot)
{
	static const double EACH = 0.001;
	struct assignment *a = fragments_assignment(c, slot);
	a->used += c->setup->deterministic ? EACH : campaign_now() - slot->sent;
}
