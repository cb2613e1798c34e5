// The end of a session: the oracle sees the inputs that wait for it. The store has a list of those that there is no
// time for, which the next session begins with.
#include <assert.h>

#include "base/mem.h"
#include "explore/driver.h"
#include "path/tree.h"

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
	return slot->works && (slot->item.flags & (JOB_ORACLE | JOB_PATH | JOB_PRECONDITION | JOB_LIFT));
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

struct waiting_list {
	struct buf entries;
	struct tree inputs; // each once: an input may wait in more than one place
	size_t n;
};

static void list_init(struct waiting_list *list)
{
	*list = (struct waiting_list){0};
	tree_init(&list->inputs, WAITING_MAX);
}

static void add_waiting(void *opaque, const struct work_item *t)
{
	struct waiting_list *list = opaque;
	if (t->known) // every session reproduces the findings of earlier ones anyway
		return;
	if (tree_set(&list->inputs, (uint64_t)t->input, TREE_TAKEN) != TREE_NEW || ++list->n > WAITING_MAX)
		return;
	buf_u64(&list->entries, (uint64_t)t->input);
	buf_u32(&list->entries, t->distance);
	buf_u32(&list->entries, t->depth);
	assert(list->entries.len % ENTRY_SIZE == 0);
}

static void add_under_way(const struct campaign *c, struct waiting_list *list)
{
	for (unsigned i = 0; i < c->inside->n_slots; i++)
		if (c->inside->slots[i].works && (c->inside->slots[i].item.flags & JOB_ORACLE))
			add_waiting(list, &c->inside->slots[i].item);
}

// Takes the list.
static int store_list(struct campaign *c, struct waiting_list *list, struct err *err)
{
	const struct buf *b = &list->entries;
	int r = b->len || c->inside->noted ? store_set(c->setup->store, WAITING, b->data, b->len, err) : 0;
	c->inside->noted = b->len != 0;
	buf_release(&list->entries);
	tree_release(&list->inputs);
	return r;
}

int campaign_store_pending(struct campaign *c, struct err *err)
{
	const struct driver *d = c->setup->driver;
	struct waiting_list list;
	struct work_item t;
	struct buf before = {0};
	list_init(&list);
	add_under_way(c, &list);
	for (unsigned i = 0; i < c->inside->n_slots; i++)
		while (d->pending && d->pending(c, &c->inside->slots[i], &t))
			add_waiting(&list, &t);
	while (take_pending(c, NULL, &t))
		add_waiting(&list, &t);
	c->unconfirmed = list.n;
	store_get(c->setup->store, WAITING, &before);
	c->inside->noted |= before.len != 0;
	buf_release(&before);
	return store_list(c, &list, err);
}

int campaign_note_pending(struct campaign *c, struct err *err)
{
	const struct driver *d = c->setup->driver;
	const struct work_queue *q = &c->inside->oracle;
	struct waiting_list list;
	if (!d->list_pending)
		return 0;
	list_init(&list);
	if (!d->list_pending(c, add_waiting, &list)) {
		buf_release(&list.entries);
		tree_release(&list.inputs);
		return 0;
	}
	add_under_way(c, &list);
	for (const struct work_item *t = q->n ? q->first : NULL; t; t = t->next)
		add_waiting(&list, t);
	return store_list(c, &list, err);
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
	c->inside->noted = true;
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
