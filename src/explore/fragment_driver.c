#include "explore/fragment_driver.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "explore/fragment_internal.h"
#include "input/fragment.h"

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
	uint64_t x = ((const struct fragment_number *)a)->name, y = ((const struct fragment_number *)b)->name;
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
		s->names[i] = (struct fragment_number){s->explored[i].name, i};
		input_release(&first);
	}
	qsort(s->names, s->plan.n_fragments, sizeof *s->names, compare_names);
}

// UINT32_MAX: none has this name.
static uint32_t find_fragment(const struct driver_state *s, uint64_t name)
{
	const struct fragment_number key = {.name = name},
				     *found = bsearch(&key, s->names, s->plan.n_fragments, sizeof key, compare_names);
	assert(!found || found->number < s->plan.n_fragments);
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

static void release(struct campaign *c)
{
	struct driver_state *s = fragments_of(c);
	for (uint32_t i = 0; i < s->plan.n_fragments; i++) {
		fragments_forget_search(&s->explored[i]);
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
	struct driver_state *s = fragments_of(c);
	struct err ignored;
	if (campaign_begin(c, &ignored) == 0)
		selection_end(&s->selection, drop_input, c);
	for (uint32_t i = 0; i < s->plan.n_fragments && s->setup->ended; i++)
		s->setup->ended(s->setup->opaque, &s->plan.fragments[i], &s->explored[i].outcome);
}

// --- what earlier sessions left ------------------------------------------------------------------

static void load_exhausted(struct campaign *c)
{
	struct driver_state *s = fragments_of(c);
	for (uint32_t i = 0; i < s->plan.n_fragments; i++) {
		char *key = fragments_exhausted_key(s->explored[i].name);
		if (store_get_number(c->setup->store, key, 0))
			progressive_exhaust(&s->plan, &s->plan.fragments[i]);
		mem_free(key);
	}
}

// Inputs of fragments that are not exhausted run again, which fills the tree.
static int take_stored_input(void *opaque, const struct stored_input *in)
{
	struct campaign *c = opaque;
	struct driver_state *s = fragments_of(c);
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
	return lifting_update(&fragments_of(c)->lifting, c, err);
}

// --- choosing ------------------------------------------------------------------------------------

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
	return c->setup->deterministic ||
	       (double)fragments_of(c)->lifting.us * SHARE < 1e6 * c->wall * c->inside->n_slots;
}

static int choose(struct campaign *c, struct worker_slot *slot, struct err *err)
{
	struct work_item *t = &slot->item;
	if (lifting_choose(&fragments_of(c)->lifting, has_time_to_lift(c), t))
		return 1;
	if (has_time_for_oracle(c) && work_queue_take(&c->inside->oracle, t))
		return 1;
	if (!c->setup->deterministic && campaign_has_time_for_care(c) && campaign_choose_care(c, t))
		return 1;
	int chosen = fragments_choose(c, slot, err);
	return chosen ? chosen
	              : work_queue_take(&c->inside->oracle, t) || lifting_choose(&fragments_of(c)->lifting, true, t) ||
	                        campaign_choose_care(c, t) || campaign_take_idle(c, t);
}

static int fill(struct campaign *c, struct worker_slot *slot, const struct stored_input *stored, struct job *j,
                struct err *err)
{
	(void)stored;
	struct driver_state *s = fragments_of(c);
	if (slot->item.flags & LIFTING_FLAGS)
		return lifting_fill(&s->lifting, c, &slot->item, j, err);
	searcher_fill(fragments_search(c, &s->explored[slot->item.fragment]), &slot->item, j);
	if ((slot->item.flags & JOB_PATH) && s->plan.fragments[slot->item.fragment].phase != PHASE_INP)
		j->flags |= JOB_SEGMENTS;
	return 0;
}

static int evicted(struct campaign *c, struct worker_slot *slot, struct err *err)
{
	(void)err;
	if (slot->item.flags & LIFTING_FLAGS) {
		lifting_lost(&fragments_of(c)->lifting, &slot->item);
		return 0;
	}
	searcher_evicted(fragments_search(c, &fragments_of(c)->explored[slot->item.fragment]), c, slot);
	return 0;
}

static void lost(struct campaign *c, struct worker_slot *slot)
{
	if (slot->item.flags & LIFTING_FLAGS) {
		lifting_lost(&fragments_of(c)->lifting, &slot->item);
		return;
	}
	fragments_spend(c, slot);
	searcher_lost(fragments_search(c, &fragments_of(c)->explored[slot->item.fragment]), c, slot);
}

static void add(struct campaign *c, const struct work_item *from, const struct work_item *run, bool known)
{
	struct driver_state *s = fragments_of(c);
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
	return slot && lifting_choose(&fragments_of(c)->lifting, true, ret);
}

static void measure(struct campaign *c)
{
	const struct driver_state *s = fragments_of(c);
	c->waiting = c->inside->oracle.n;
	for (uint32_t i = 0; i < s->plan.n_fragments; i++)
		c->waiting += !s->plan.fragments[i].exhausted;
}

// Every fragment that could cover something was explored until nothing was left.
static bool is_complete(const struct campaign *c)
{
	return fragments_of(c)->ended;
}

const struct driver driver_fragments = {
	.start = start,
	.release = release,
	.load = load,
	.choose = choose,
	.fill = fill,
	.evicted = evicted,
	.take = fragments_take,
	.lost = lost,
	.add = add,
	.pending = pending,
	.measure = measure,
	.end = end,
	.is_complete = is_complete,
};
