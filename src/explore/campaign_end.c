// The end of a session: the oracle sees the inputs that wait for it. The store has a list of those that there is no
// time for, which the next session begins with.
#include <assert.h>

#include "base/mem.h"
#include "explore/driver.h"

#define WAITING "waiting" // the setting; entries of u64 input, u32 distance, u32 depth

enum { WAITING_MAX = 1 << 16, ENTRY_SIZE = 16 };

// Of the slot's own, then of no slot in particular; slot NULL: only these.
static bool take_pending(struct campaign *c, struct worker_slot *slot, struct work_item *ret)
{
	const struct driver *d = c->setup->driver;
	if (slot && d->pending && d->pending(c, slot, ret))
		return true;
	return work_queue_take(&c->inside->oracle, ret) || (d->pending && d->pending(c, NULL, ret));
}

// slot->works: it has something to do.
static int give_pending(struct campaign *c, struct worker_slot *slot, struct err *err)
{
	struct work_item t;
	slot->n_candidates = 0;
	while (!slot->works && take_pending(c, slot, &t)) {
		slot->item = t;
		if (campaign_send(c, slot, err) < 0)
			return -1;
	}
	return 0;
}

// A run under way may crash.
static bool may_find(const struct worker_slot *slot)
{
	return slot->works && (slot->item.flags & (JOB_ORACLE | JOB_PATH));
}

// *ret_any: some worker is at something that may become a finding.
static int give_all_pending(struct campaign *c, bool *ret_any, struct err *err)
{
	*ret_any = false;
	for (unsigned i = 0; i < c->inside->n_slots; i++) {
		struct worker_slot *slot = &c->inside->slots[i];
		if (!slot->works && give_pending(c, slot, err) < 0) {
			if (campaign_replace_worker(c, slot, err) < 0)
				return -1;
			*ret_any = true;
		}
		*ret_any |= may_find(slot);
	}
	return 0;
}

int campaign_finish_pending(struct campaign *c, struct err *err)
{
	static const double GRACE = 5, GRACE_OF_RUNS = 60; // when time is the budget; when only runs are counted
	double until = campaign_now() + (c->setup->seconds > 0 ? GRACE : GRACE_OF_RUNS);
	bool endless = c->setup->deterministic && c->setup->seconds <= 0;
	int r = 0;
	for (bool any = true; r == 0 && any && (endless || campaign_now() < until) && !campaign_is_stopped(c);) {
		r = give_all_pending(c, &any, err);
		if (r == 0 && any)
			r = campaign_wait_for_results(c, err);
	}
	return r;
}

// --- from session to session ---------------------------------------------------------------------

static void add_waiting(struct buf *list, size_t *n, const struct work_item *t)
{
	if (t->known || ++*n > WAITING_MAX) // every session reproduces the findings of earlier ones anyway
		return;
	buf_u64(list, (uint64_t)t->input);
	buf_u32(list, t->distance);
	buf_u32(list, t->depth);
	assert(list->len % ENTRY_SIZE == 0);
}

static void list_pending(struct campaign *c, struct buf *list)
{
	const struct driver *d = c->setup->driver;
	struct work_item t;
	c->unconfirmed = 0;
	for (unsigned i = 0; i < c->inside->n_slots; i++) {
		struct worker_slot *slot = &c->inside->slots[i];
		if (slot->works && (slot->item.flags & JOB_ORACLE))
			add_waiting(list, &c->unconfirmed, &slot->item);
		while (d->pending && d->pending(c, slot, &t))
			add_waiting(list, &c->unconfirmed, &t);
	}
	while (take_pending(c, NULL, &t))
		add_waiting(list, &c->unconfirmed, &t);
}

int campaign_store_pending(struct campaign *c, struct err *err)
{
	struct buf list = {0}, before = {0};
	list_pending(c, &list);
	store_get(c->setup->store, WAITING, &before);
	int r = before.len || list.len ? store_set(c->setup->store, WAITING, list.data, list.len, err) : 0;
	buf_release(&before);
	buf_release(&list);
	return r;
}

static void load_entry(struct campaign *c, struct work_item *t)
{
	const struct driver *d = c->setup->driver;
	struct stored_input s;
	struct err ignored;
	if (store_get_input(c->setup->store, t->input, &s, &ignored) < 0)
		return;
	int64_t program = d->program_of ? d->program_of(c, s.snapshot) : 0;
	bool can_run = s.data.len && s.state != INPUT_DONE && program >= 0;
	t->snapshot = s.snapshot;
	t->program = (uint32_t)program;
	stored_input_release(&s);
	if (can_run)
		work_queue_add(&c->inside->oracle, t);
}

void campaign_load_pending(struct campaign *c)
{
	struct buf list = {0};
	if (!store_get(c->setup->store, WAITING, &list) || !list.len) {
		buf_release(&list);
		return;
	}
	struct cursor at = {(const uint8_t *)list.data, (const uint8_t *)list.data + list.len, false};
	while (at.p < at.end) {
		struct work_item t = {.input = (int64_t)cursor_u64(&at), .flags = JOB_ORACLE, .violating = true};
		t.distance = cursor_u32(&at);
		t.depth = cursor_u32(&at);
		if (!at.bad)
			load_entry(c, &t);
	}
	buf_release(&list);
}
