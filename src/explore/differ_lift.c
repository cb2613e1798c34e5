// The driver of versions: a function that differs with made-up state, and whole runs that may call it with such a state
// (worker/worker_lift.c). What the solver makes of a whole run is an input of the program like any: when both versions
// show it, it is a difference of its own. A state that a whole run has is compared like one that is made up, and the
// store says which run has it.
#include "base/vec.h"
#include "explore/differ_internal.h"
#include "input/fragment.h"

enum { TRIED = 48 }; // whole runs, for each

void differ_lift(struct campaign *c, const struct work_item *t)
{
	struct differ *d = differ_of(c);
	if (t->fragment < VERSIONS || differ_input(d, t->input)->whole)
		return;
	struct lifted l = {.item = {.seed = t->input,
	                            .flags = JOB_LIFT,
	                            .program = t->fragment % VERSIONS,
	                            .fragment = t->fragment}};
	vec_push(&d->lifted, l);
}

bool differ_choose_lift(struct campaign *c, struct worker_slot *slot)
{
	struct differ *d = differ_of(c);
	if (work_queue_take(&d->lifts, &slot->item))
		return true;
	struct lifted *best = NULL;
	for (size_t i = 0; i < d->lifted.n; i++) {
		struct lifted *l = &d->lifted.v[i];
		bool waits = l->next < d->whole.n && l->next < TRIED && differ_wants_entry(d, l->item.fragment);
		if (waits && (!best || l->next < best->next))
			best = l;
	}
	if (!best || ++d->lift_turns % 2)
		return false;
	slot->item = best->item;
	slot->item.input = d->whole.v[best->next++];
	slot->item.snapshot = differ_input(d, slot->item.input)->snapshot;
	return true;
}

int differ_fill_lift(struct campaign *c, const struct work_item *t, struct job *j, struct err *err)
{
	struct stored_input s;
	int r = campaign_fetch_input(c, t->seed, &s, &j->seed, err);
	if (r == 0)
		stored_input_release(&s);
	return r < 0 ? -1 : 0;
}

int differ_take_lift(struct campaign *c, const struct work_item *t, const struct result *r, struct err *err)
{
	struct differ *d = differ_of(c);
	int result = 0;
	for (uint32_t i = 0; i < r->n_answers && result == 0; i++) {
		const struct input *in = &r->answers[i].input;
		bool enters = fragment_name(in) != 0;
		struct work_item from = *t;
		int64_t input = 0;
		from.first = true;
		from.fragment = enters ? t->fragment : t->program;
		result = differ_add_input(c, in, &from, &input, err);
		struct compared *x = result == 0 ? differ_input(d, input) : NULL;
		if (!x || x->ran || x->asked)
			continue;
		if (enters) {
			x->whole = t->input;
			continue;
		}
		struct work_item again = *t;
		again.input = input;
		work_queue_add(&d->lifts, &again);
	}
	return result;
}
