// The coordinator and the store: transactions, counters, inputs.
#include <assert.h>

#include "base/mem.h"
#include "explore/campaign_internal.h"

int campaign_begin(struct campaign *c, struct err *err)
{
	if (c->inside->in_transaction)
		return 0;
	if (store_begin(c->setup->store, err) < 0)
		return -1;
	c->inside->in_transaction = true;
	return 0;
}

static int store_counts(struct campaign *c, struct err *err)
{
	struct campaign_counts *now = &c->counts, *was = &c->inside->stored;
	const struct {
		const char *name;
		uint64_t now, was;
	} all[] = {
#define COUNT(field) {#field, now->field, was->field}
		COUNT(runs),        COUNT(queries),       COUNT(sat),      COUNT(unsat),    COUNT(unknown),
		COUNT(expected),    COUNT(checks),        COUNT(diverged), COUNT(crashes),  COUNT(timeouts),
		COUNT(oracle_runs), COUNT(us_run),        COUNT(us_read),  COUNT(us_solve), COUNT(us_oracle),
		COUNT(us_store),    COUNT(us_care),       COUNT(care),     COUNT(care_of),  COUNT(cared),
		COUNT(matched),     COUNT(skipped),       COUNT(searched), COUNT(us_match), COUNT(us_jobs),
		COUNT(us_waiting),  COUNT(us_unfinished), COUNT(mutated),
#undef COUNT
	};
	assert(c->inside->in_transaction);
	if (store_count(c->setup->store, "checks.total", (int64_t)(now->checks - was->checks), err) < 0 ||
	    store_count(c->setup->store, "checks.unique", (int64_t)(now->checks_unique - was->checks_unique), err) < 0)
		return -1;
	if (now->checks_unique != was->checks_unique &&
	    store_set(c->setup->store, "checked", c->inside->checked.data, c->inside->checked.len, err) < 0)
		return -1;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		assert(all[i].now >= all[i].was);
		if (all[i].now != all[i].was &&
		    store_count(c->setup->store, all[i].name, (int64_t)(all[i].now - all[i].was), err) < 0)
			return -1;
	}
	*was = *now;
	return 0;
}

int campaign_commit(struct campaign *c, struct err *err)
{
	if (!c->inside->in_transaction)
		return 0;
	double from = campaign_now();
	struct cover_totals totals = cover_totals(c->setup->cover);
	int r = store_counts(c, err);
	if (r == 0)
		r = store_add_progress(c->setup->store, c->elapsed, (int64_t)c->counts.runs, totals.edges.covered,
		                       totals.lines.covered, err);
	if (r == 0)
		r = store_commit(c->setup->store, err);
	c->inside->in_transaction = false;
	c->inside->committed = campaign_now();
	c->counts.us_store += (uint64_t)(1e6 * (campaign_now() - from));
	return r;
}

int campaign_commit_midway(struct campaign *c, struct err *err)
{
	if (c->inside->in_transaction && campaign_note_pending(c, err) < 0)
		return -1;
	return campaign_commit(c, err);
}

// --- inputs --------------------------------------------------------------------------------------

int campaign_add_input(struct campaign *c, const struct input *in, struct stored_input *s, bool *ret_known,
                       struct err *err)
{
	input_encode(in, &s->data);
	s->hash = input_hash(in);
	int r = store_add_input(c->setup->store, s, ret_known, err);
	buf_release(&s->data);
	if (r == 0)
		c->counts.inputs += !*ret_known;
	assert(r < 0 || s->id > 0);
	return r;
}

int campaign_fetch_input(struct campaign *c, int64_t id, struct stored_input *ret, struct input *ret_input,
                         struct err *err)
{
	if (store_get_input(c->setup->store, id, ret, err) < 0)
		return -1;
	if (!ret->data.len) {
		stored_input_release(ret);
		return 1;
	}
	int r = input_decode(ret_input, ret->data.data, ret->data.len, err);
	if (r < 0)
		stored_input_release(ret);
	return r;
}

int campaign_finish_input(struct campaign *c, int64_t id, struct err *err)
{
	struct stored_input s;
	if (store_get_input(c->setup->store, id, &s, err) < 0)
		return -1;
	s.state = INPUT_DONE;
	int stored = store_update_input(c->setup->store, &s, err);
	stored_input_release(&s);
	return stored;
}

int64_t campaign_seed_of(struct campaign *c, int64_t input)
{
	struct stored_input s;
	struct err err;
	for (int i = 0; i < 1 << 20 && store_get_input(c->setup->store, input, &s, &err) == 0; i++) {
		int64_t parent = s.parent;
		stored_input_release(&s);
		if (!parent)
			break;
		input = parent;
	}
	return input;
}

int64_t campaign_solution(struct campaign *c, uint64_t key, struct stored_input *ret)
{
	struct stored_flip f;
	struct err err;
	if (!store_get_flip(c->setup->store, key, &f) || f.answer != FLIP_SAT || !f.input ||
	    store_get_input(c->setup->store, f.input, ret, &err) < 0)
		return 0;
	bool has_data = ret->data.len > 0;
	stored_input_release(ret);
	return has_data ? f.input : 0;
}
