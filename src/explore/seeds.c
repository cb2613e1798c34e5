#include "explore/seeds.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "input/temporary.h"
#include "record/record.h"

// Seeds of this recording, by hash.
struct seed {
	struct hash hash;
	int64_t id;
	uint32_t times; // 0: a free slot
};
MAP(seeds, struct seed);
MAP_FUNCTIONS(by_hash, struct seeds, struct hash, .hash, .times, map_hash_digest, map_same_digest)

struct import {
	struct store *store;
	struct temporary temporary;
	struct seeds_counts counts;
	struct seeds seeds;
	bool begun; // what was recorded before is forgotten
	struct err *err;
};

// A number or a path.
static size_t varying(const char *p)
{
	return *p == '/' ? strcspn(p, " ,") : strspn(p, "0123456789");
}

// Of one kind.
static bool is_same_reason(const char *a, const char *b)
{
	for (;; a++, b++) {
		a += varying(a);
		b += varying(b);
		if (*a != *b || !*a)
			return *a == *b;
	}
}

static void count_reason(struct seeds_counts *c, const char *why)
{
	c->refused++;
	for (size_t i = 0; i < c->n_reasons; i++)
		if (is_same_reason(c->reasons[i].why, why)) {
			c->reasons[i].n++;
			return;
		}
	c->reasons = mem_resize(c->reasons, (c->n_reasons + 1) * sizeof *c->reasons);
	c->reasons[c->n_reasons++] = (struct seeds_reason){mem_strdup(why), 1};
}

static int add_input(struct import *m, int64_t snapshot, const struct input *in)
{
	struct stored_input x = {
		.state = INPUT_NEW, .changed = -1, .care = -1, .hash = input_hash(in), .snapshot = snapshot};
	input_encode(in, &x.data);
	int r = store_add_input(m->store, &x, NULL, m->err);
	buf_release(&x.data);
	return r;
}

// Not before there is something to read.
static int begin(struct import *m)
{
	int r = m->begun ? 0 : store_forget_snapshots(m->store, m->err);
	m->begun = true;
	return r;
}

// How often an execution was seen is stored with each: what was there before this recording does not count.
static int add_seed(void *opaque, struct snapshot *snapshot, struct input *in)
{
	struct import *m = opaque;
	if (begin(m) < 0)
		return -1;
	m->counts.executions++;
	struct hash h = snapshot_hash(snapshot, in, &m->temporary);
	struct seed *seed = by_hash_put(&m->seeds, h);
	struct stored_snapshot c = {.hash = {h.low, h.high}, .level = -1, .times = seed->times + 1, .present = true};
	bool known, again = seed->times > 0;
	if (snapshot->why)
		c.why = mem_strdup(snapshot->why);
	snapshot_encode(snapshot, &c.data);
	int r = store_add_snapshot(m->store, &c, &known, m->err);
	if (r == 0 && !known)
		r = add_input(m, c.id, in);
	if (r == 0 && !again) {
		m->counts.seeds++;
		m->counts.known += known;
		if (snapshot->why) // not what an earlier session said of it
			count_reason(&m->counts, snapshot->why);
	}
	seed->id = c.id;
	seed->times = c.times;
	stored_snapshot_release(&c);
	return r;
}

static int by_number(const void *a, const void *b)
{
	const struct seeds_reason *x = a, *y = b;
	return x->n != y->n ? (x->n < y->n ? 1 : -1) : strcmp(x->why, y->why);
}

// --- what an older veer recorded ------------------------------------------------------------------

static bool mask(struct buf *data, bool change)
{
	struct snapshot snapshot;
	if (snapshot_decode(&snapshot, data->data, data->len, NULL) < 0)
		return false;
	bool any = snapshot_mask(&snapshot);
	if (any && change) {
		buf_clear(data);
		snapshot_encode(&snapshot, data);
	}
	snapshot_release(&snapshot);
	return any;
}

static void mask_data(struct buf *data)
{
	mask(data, true);
}

static int has_secret(void *opaque, const struct stored_snapshot *c)
{
	struct buf data = c->data;
	(void)opaque;
	return mask(&data, false);
}

int seeds_mask(struct store *s, bool merged, struct err *err)
{
	static const char MASKED[] = "masked"; // a setting: all that is there was examined
	struct buf known = {0};
	bool done = store_get(s, MASKED, &known) && !merged;
	buf_release(&known);
	if (done)
		return 0;
	int r = store_each_snapshot(s, has_secret, NULL, err);
	if (r > 0)
		r = store_change_snapshots(s, mask_data, err);
	return r < 0 ? r : store_set(s, MASKED, "1", 1, err);
}

int seeds_import(struct store *s, const char *folder, struct seeds_counts *ret, struct err *err)
{
	struct import m = {.store = s, .temporary = temporary_since(folder), .err = err};
	int r = seeds_mask(s, false, err);
	if (r == 0)
		r = store_begin(s, err);
	if (r == 0)
		r = record_each(folder, add_seed, &m, &m.counts.damaged, err);
	if (r == 0)
		r = begin(&m);
	struct err ignored;
	int committed = store_commit(s, r < 0 ? &ignored : err); // after a failure it fails with the same words
	r = r < 0 ? r : committed;
	by_hash_release(&m.seeds);
	if (r < 0) {
		seeds_release(&m.counts);
		return -1;
	}
	if (m.counts.n_reasons)
		qsort(m.counts.reasons, m.counts.n_reasons, sizeof *m.counts.reasons, by_number);
	*ret = m.counts;
	return 0;
}

void seeds_release(struct seeds_counts *c)
{
	for (size_t i = 0; i < c->n_reasons; i++)
		mem_free(c->reasons[i].why);
	mem_free(c->reasons);
	*c = (struct seeds_counts){0};
}
