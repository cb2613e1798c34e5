// The end of a session: the oracle sees what it was to see. For what there is no time left, the store has a list: the
// next session begins with it.
#include "base/mem.h"
#include "explore/amplify.h"
#include "explore/campaign_internal.h"
#include "explore/suite_search.h"

#define WAITING "waiting" // the setting; entries of u64 input, u32 distance, u32 depth

enum { WAITING_MAX = 1 << 16 };

static bool take_pending(struct campaign *c, struct work_item *ret)
{
	return work_queue_take(&c->inside->oracle, ret) || suite_search_take_oracle(c, ret);
}

// slot->works: it has something to do.
static int give_pending(struct campaign *c, struct worker_slot *slot, struct err *err)
{
	struct work_item t;
	int r = 1; // its input was evicted
	while (r > 0 && !slot->works && work_queue_take(&slot->oracle, &t)) {
		slot->item = t;
		r = campaign_send(c, slot, err);
	}
	if (r >= 0 && !slot->works && c->setup->suite)
		r = amplify_give_pending(c, slot, err);
	for (r = r < 0 ? r : 1; r > 0 && !slot->works && take_pending(c, &t);) {
		slot->item = t;
		r = campaign_send(c, slot, err);
	}
	return r < 0 ? -1 : 0;
}

// A run under way may crash.
static bool may_find(const struct worker_slot *slot)
{
	return slot->works && (slot->item.flags & (JOB_ORACLE | JOB_PATH));
}

int campaign_finish_pending(struct campaign *c, struct err *err)
{
	static const double GRACE = 5, GRACE_OF_RUNS = 60; // when a budget is used up; when only runs are counted
	struct campaign_inside *in = c->inside;
	double until = campaign_now() + (c->setup->seconds > 0 ? GRACE : GRACE_OF_RUNS);
	bool endless = c->setup->deterministic && c->setup->seconds <= 0;
	int r = 0;
	for (bool any = true; r == 0 && any && (endless || campaign_now() < until) && !campaign_is_stopped(c);) {
		any = false;
		for (unsigned i = 0; r == 0 && i < in->n_slots; i++) {
			struct worker_slot *slot = &in->slots[i];
			if (!slot->works) {
				slot->n_candidates = 0;
				if (give_pending(c, slot, err) < 0) {
					r = campaign_replace_worker(c, i, err);
					any = true;
				}
			}
			any |= may_find(slot);
		}
		if (r == 0 && any)
			r = campaign_wait_for_results(c, err);
	}
	return r;
}

// --- from session to session ----------------------------------------------------------------------

static void add_waiting(struct buf *list, size_t *n, const struct work_item *t)
{
	if (t->known || ++*n > WAITING_MAX) // a finding that is known is looked at again by each session
		return;
	buf_u64(list, (uint64_t)t->input);
	buf_u32(list, t->distance);
	buf_u32(list, t->depth);
}

int campaign_store_pending(struct campaign *c, struct err *err)
{
	struct buf list = {0};
	struct work_item t;
	c->unconfirmed = 0;
	for (unsigned i = 0; i < c->inside->n_slots; i++) {
		struct worker_slot *slot = &c->inside->slots[i];
		if (slot->works && (slot->item.flags & JOB_ORACLE))
			add_waiting(&list, &c->unconfirmed, &slot->item);
		while (work_queue_take(&slot->oracle, &t))
			add_waiting(&list, &c->unconfirmed, &t);
		while (c->setup->suite && amplify_take_pending(c, slot, &t))
			add_waiting(&list, &c->unconfirmed, &t);
	}
	while (take_pending(c, &t))
		add_waiting(&list, &c->unconfirmed, &t);
	struct buf before = {0};
	store_get(c->setup->store, WAITING, &before);
	int r = before.len || list.len ? store_set(c->setup->store, WAITING, list.data, list.len, err) : 0;
	buf_release(&before);
	buf_release(&list);
	return r;
}

// The program that the input is one of; -1: none that can run.
static int64_t program_of(const struct campaign *c, int64_t snapshot)
{
	const struct suite *s = c->setup->suite;
	for (size_t i = 0; s && i < s->n; i++)
		if (s->v[i].snapshot == snapshot)
			return c->setup->worker->programs[s->v[i].program].builds ? s->v[i].program : -1;
	return s ? -1 : 0;
}

void campaign_load_pending(struct campaign *c)
{
	struct buf list = {0};
	store_get(c->setup->store, WAITING, &list);
	struct cursor at = {(const uint8_t *)list.data, (const uint8_t *)list.data + list.len, false};
	while (list.len && at.p < at.end) {
		struct work_item t = {.input = (int64_t)cursor_u64(&at), .flags = JOB_ORACLE, .violating = true};
		struct stored_input s;
		struct err ignored;
		t.distance = cursor_u32(&at);
		t.depth = cursor_u32(&at);
		if (at.bad || store_get_input(c->setup->store, t.input, &s, &ignored) < 0)
			continue;
		int64_t program = s.data.len && s.state != INPUT_DONE ? program_of(c, s.snapshot) : -1;
		t.snapshot = s.snapshot;
		t.program = (uint32_t)program;
		stored_input_release(&s);
		if (program >= 0)
			work_queue_add(&c->inside->oracle, &t);
	}
	buf_release(&list);
}
