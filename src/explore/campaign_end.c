// The end of a session: the oracle sees what it was to see. For what there is no time left, the store has a list: the
// next session begins with it.
#include "base/mem.h"
#include "explore/amplify.h"
#include "explore/campaign_internal.h"
#include "explore/suite_search.h"
#include "explore/tree.h"

#define WAITING "waiting" // the setting; entries of u64 input, u32 distance, u32 depth

enum { WAITING_MAX = 1 << 16 };

static bool take_pending(struct campaign *c, struct task *ret)
{
	return queue_take(&c->inside->looks, ret) || suite_search_take_oracle(c, ret);
}

// b->works: it has something to do.
static int give_pending(struct campaign *c, struct busy *b, struct err *err)
{
	struct task t;
	int r = 1; // its input was evicted
	while (r > 0 && !b->works && queue_take(&b->looks, &t)) {
		b->task = t;
		r = campaign_send(c, b, err);
	}
	if (r >= 0 && !b->works && c->setup->suite)
		r = amplify_give_pending(c, b, err);
	for (r = r < 0 ? r : 1; r > 0 && !b->works && take_pending(c, &t);) {
		b->task = t;
		r = campaign_send(c, b, err);
	}
	return r < 0 ? -1 : 0;
}

// A run under way may crash.
static bool may_find(const struct busy *b)
{
	return b->works && (b->task.flags & (JOB_ORACLE | JOB_PATH));
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
		for (unsigned i = 0; r == 0 && i < in->n_busy; i++) {
			struct busy *b = &in->busy[i];
			if (!b->works) {
				b->n_candidates = 0;
				if (give_pending(c, b, err) < 0) {
					r = campaign_replace_worker(c, i, err);
					any = true;
				}
			}
			any |= may_find(b);
		}
		if (r == 0 && any)
			r = campaign_wait_for_results(c, err);
	}
	return r;
}

// --- from session to session ----------------------------------------------------------------------

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

static void add_waiting(struct waiting_list *list, const struct task *t)
{
	if (t->known) // a finding that is known is looked at again by each session
		return;
	if (tree_set(&list->inputs, (uint64_t)t->input, TREE_TAKEN) != TREE_NEW || ++list->n > WAITING_MAX)
		return;
	buf_u64(&list->entries, (uint64_t)t->input);
	buf_u32(&list->entries, t->distance);
	buf_u32(&list->entries, t->depth);
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
	struct waiting_list list;
	struct task t;
	list_init(&list);
	for (unsigned i = 0; i < c->inside->n_busy; i++) {
		struct busy *b = &c->inside->busy[i];
		if (b->works && (b->task.flags & JOB_ORACLE))
			add_waiting(&list, &b->task);
		while (queue_take(&b->looks, &t))
			add_waiting(&list, &t);
		while (c->setup->suite && amplify_take_pending(c, b, &t))
			add_waiting(&list, &t);
	}
	while (take_pending(c, &t))
		add_waiting(&list, &t);
	c->unconfirmed = list.n;
	struct buf before = {0};
	store_get(c->setup->store, WAITING, &before);
	c->inside->noted |= before.len != 0;
	buf_release(&before);
	return store_list(c, &list, err);
}

static void add_queue(struct waiting_list *list, const struct queue *q)
{
	for (const struct task *t = q->n ? q->first : NULL; t; t = t->next)
		add_waiting(list, t);
}

int campaign_note_pending(struct campaign *c, struct err *err)
{
	struct waiting_list list;
	const struct queue *q;
	struct task t;
	if (!c->setup->suite || c->inside->awaits) // the list of the session before is still to be read
		return 0;
	list_init(&list);
	for (unsigned i = 0; i < c->inside->n_busy; i++) {
		const struct busy *b = &c->inside->busy[i];
		if (b->works && (b->task.flags & JOB_ORACLE))
			add_waiting(&list, &b->task);
		add_queue(&list, &b->looks);
		for (size_t k = 0; amplify_peek_pending(b, k, &t); k++)
			add_waiting(&list, &t);
	}
	add_queue(&list, &c->inside->looks);
	for (uint32_t i = 0; (q = suite_search_queue(c, i)); i++)
		add_queue(&list, q);
	return store_list(c, &list, err);
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
	c->inside->noted = list.len != 0;
	struct cursor at = {(const uint8_t *)list.data, (const uint8_t *)list.data + list.len, false};
	while (list.len && at.p < at.end) {
		struct task t = {.input = (int64_t)cursor_u64(&at), .flags = JOB_ORACLE, .violating = true};
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
			queue_add(&c->inside->looks, &t);
	}
	buf_release(&list);
}
