// The driver of versions: runs that enter functions with made-up state.
#include <assert.h>
#include <string.h>

#include "explore/differ_internal.h"

static bool is_under_way(const struct campaign *c, uint32_t lane)
{
	for (unsigned i = 0; i < c->inside->n_slots; i++)
		if (c->inside->slots[i].works && c->inside->slots[i].item.fragment == lane)
			return true;
	return false;
}

uint32_t differ_entry_of(uint32_t lane)
{
	return lane / VERSIONS - 1;
}

bool differ_wants_entry(const struct differ *d, uint32_t lane)
{
	const struct differ_setup *setup = d->setup;
	return !setup->wanted || setup->wanted(setup->opaque, differ_entry_of(lane), d->shown, d->n_shown);
}

static int seed_lane(struct campaign *c, uint32_t lane, struct err *err)
{
	struct differ *d = differ_of(c);
	struct input first = {0};
	const struct work_item t = {.program = lane % VERSIONS, .fragment = lane};
	d->setup->first(d->setup->opaque, differ_entry_of(lane), t.program, &first);
	int64_t ignored;
	int r = differ_add_input(c, &first, &t, &ignored, err);
	input_release(&first);
	d->lanes[lane].seeded = true;
	return r;
}

// Other values on paths that are known: of runs that enter a function, or of whole ones.
bool differ_vary(struct campaign *c, struct worker_slot *slot, bool enters)
{
	enum { ROUNDS = 20 };
	struct differ *d = differ_of(c);
	for (size_t tried = 0; tried < d->agreeing.n; tried++) {
		int64_t input = d->agreeing.v[d->next++ % d->agreeing.n];
		struct compared *x = differ_input(d, input);
		if (x->rounds >= ROUNDS || (x->lane >= VERSIONS) != enters)
			continue;
		slot->item = (struct work_item){.input = input,
		                                .seed = x->seed,
		                                .snapshot = x->snapshot,
		                                .flags = JOB_ORACLE | JOB_VARY,
		                                .program = x->lane % VERSIONS,
		                                .fragment = x->lane,
		                                .round = ++x->rounds};
		return true;
	}
	return false;
}

static bool is_old(uint32_t lane)
{
	return lane % VERSIONS == 0;
}

// All pairs of paths of both versions were joined, and no state on them makes a difference.
static bool is_settled(const struct campaign *c, uint32_t lane)
{
	const struct lane *l = &differ_of(c)->lanes[lane];
	return is_old(lane) && differ_of(c)->setup->entries[differ_entry_of(lane)].small && l->exhausted &&
	       !l->left_open && !l->unjoined && l->joined && !l->outcome.open && !l->searcher.unsure &&
	       !is_under_way(c, lane);
}

void differ_settle(const struct campaign *c)
{
	struct differ *d = differ_of(c);
	for (uint32_t i = VERSIONS; i < d->n_lanes; i++)
		if (!d->lanes[i].proved && is_settled(c, i))
			for (uint32_t version = 0; version < VERSIONS; version++)
				d->lanes[i + version].proved = true;
}

bool differ_is_proved(const struct campaign *c)
{
	const struct differ *d = differ_of(c);
	uint32_t proved = 0;
	for (uint32_t i = VERSIONS; i < d->n_lanes; i += VERSIONS)
		proved += d->lanes[i].proved && !d->setup->entries[differ_entry_of(i)].distance;
	return d->setup->n_changes && proved == d->setup->n_changes;
}

// Small functions come first of all: what is proved to be the same need not be run.
static bool is_for_proof(const struct differ *d, uint32_t lane)
{
	const struct lane *l = &d->lanes[lane];
	return is_old(lane) && d->setup->entries[differ_entry_of(lane)].small && !l->left_open && !l->exhausted;
}

static bool is_proving(const struct campaign *c)
{
	static const double LIMIT = 2, LIMIT_OF_RUNS = 0.1;
	const struct differ *d = differ_of(c);
	const double seconds = c->setup->seconds;
	double limit = c->setup->deterministic               ? LIMIT_OF_RUNS
	               : seconds > 0 && seconds / 10 < LIMIT ? seconds / 10
	                                                     : LIMIT;
	bool any = d->joins.n || d->of_entries.n;
	for (uint32_t i = VERSIONS; i < d->n_lanes && !any; i++)
		any = is_for_proof(d, i);
	return any && d->entering < limit && d->lanes[0].seconds + d->lanes[1].seconds + d->comparing <= 0;
}

// The search that had least time, in which those that are nearer to a change count less; 0: none.
static uint32_t choose_lane(const struct campaign *c, bool proving)
{
	const struct differ *d = differ_of(c);
	uint32_t best = 0;
	double least = 0;
	for (uint32_t i = VERSIONS; i < d->n_lanes; i++) {
		const struct lane *l = &d->lanes[i];
		double used = l->seconds * (1 + d->setup->entries[differ_entry_of(i)].distance);
		if (l->exhausted || l->proved || (proving && !is_for_proof(d, i)) || !differ_wants_entry(d, i) ||
		    (best && used >= least) ||
		    (!l->runs.n && l->seeded && !strategy_waiting(l->searcher.strategy) && is_under_way(c, i)))
			continue;
		best = i;
		least = used;
	}
	return best;
}

int differ_explore_entries(struct campaign *c, struct worker_slot *slot, bool *ret_any, struct err *err)
{
	enum { VARIED = 3 };
	struct differ *d = differ_of(c);
	const bool proving = is_proving(c);
	*ret_any = work_queue_take(&d->of_entries, &slot->item) || work_queue_take(&d->joins, &slot->item) ||
	           (!proving && differ_choose_lift(c, slot)) ||
	           (!proving && ++d->turns % VARIED == 0 && differ_vary(c, slot, true));
	while (!*ret_any) {
		uint32_t best = choose_lane(c, proving);
		if (!best) {
			*ret_any = !proving && work_queue_take(&d->later_joins, &slot->item);
			return 0;
		}
		if (!d->lanes[best].seeded && seed_lane(c, best, err) < 0)
			return -1;
		*ret_any = differ_explore_lane(c, slot, best);
		if (!*ret_any && !is_under_way(c, best))
			d->lanes[best].exhausted = true;
		else if (!*ret_any)
			return 0;
	}
	return 0;
}

// Runs that enter functions begin when whole ones had a fifth of the budget, and have half of the time from then on.
bool differ_turn_of_entries(const struct campaign *c)
{
	const double usual = c->setup->deterministic ? 0.1 : 5;
	const struct differ *d = differ_of(c);
	double whole = d->lanes[0].seconds + d->lanes[1].seconds + d->comparing,
	       grace = c->setup->seconds > 0 && !c->setup->deterministic ? c->setup->seconds / 5 : usual;
	if (!d->setup->n_entries)
		return false;
	return is_proving(c) || (whole >= grace && d->entering <= whole);
}

// --- pairs of paths -------------------------------------------------------------------------------

void differ_compared_entry(struct campaign *c, const struct work_item *t, const char *kind, bool earlier)
{
	enum { MILLISECONDS = 3000 };
	struct differ *d = differ_of(c);
	struct lane *l = &d->lanes[t->fragment];
	if (!is_old(t->fragment))
		return;
	if (*kind && strcmp(kind, ORACLE_SILENT) != 0) {
		l->unjoined--;
		l->left_open = true;
		return;
	}
	struct work_item join = *t;
	join.flags = JOB_JOIN;
	join.program = 0;
	join.round = differ_input(d, t->input)->next;
	join.milliseconds = c->setup->deterministic ? 0 : MILLISECONDS;
	work_queue_add(earlier ? &d->later_joins : &d->joins, &join);
}

int differ_take_join(struct campaign *c, const struct work_item *t, const struct result *r, struct err *err)
{
	struct differ *d = differ_of(c);
	struct lane *l = &d->lanes[t->fragment];
	int result = 0;
	assert(l->unjoined);
	l->unjoined--;
	l->joined++;
	l->left_open |= r->open;
	for (uint32_t i = 0; i < r->n_answers && result == 0; i++) {
		int64_t input = 0;
		struct work_item from = *t;
		from.round = 0;
		result = differ_add_input(c, &r->answers[i].input, &from, &input, err);
		if (result == 0)
			differ_input(d, input)->next = r->answers[i].event;
	}
	return result;
}
