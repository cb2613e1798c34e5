#include "explore/amplify_scope.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "explore/amplify_internal.h"

enum { WIDTH = 4096, WIDTH_MAX = 1 << 20 };         // positions of a scope
enum { NODES_FEW = 1 << 16, DECISIONS_FEW = 2000 }; // of a trace

// How many positions a scope of the program may have, by what the ones before it came to.
static uint64_t *width_of(struct suite *s, uint32_t program)
{
	if (program >= s->n_widths) {
		size_t n = (size_t)program + 16;
		s->widths = mem_resize(s->widths, n * sizeof *s->widths);
		while (s->n_widths < n)
			s->widths[s->n_widths++] = WIDTH;
	}
	return &s->widths[program];
}

static struct suite_test *first_of(struct suite_test *t)
{
	return t->number ? t->of : t;
}

// --- the store -----------------------------------------------------------------------------------

static int store_scope(struct campaign *c, const struct suite_test *t, struct err *err)
{
	struct stored_scope x = {.snapshot = t->snapshot,
	                         .number = t->number,
	                         .from = t->from,
	                         .to = t->to,
	                         .slow = t->slow,
	                         .level = t->level};
	assert(t->from <= t->to && (t->number || t->parts));
	if (!t->number)
		scope_parts_encode(t->parts, &x.parts);
	int r = store_set_scope(c->setup->store, &x, err);
	buf_release(&x.parts);
	return r;
}

struct loading {
	struct suite *suite;
	struct suite_test *first; // of the rows that come now; NULL: they are not wanted
};

static struct suite_test *find_test(const struct suite *s, int64_t snapshot)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].snapshot == snapshot)
			return &s->v[i];
	return NULL;
}

static int load_scope(void *opaque, const struct stored_scope *x)
{
	struct loading *l = opaque;
	struct err ignored;
	if (!x->number) {
		struct suite_test *t = l->first = find_test(l->suite, x->snapshot);
		if (!t)
			return 0;
		t->parts = mem_zero(sizeof *t->parts);
		if (scope_parts_decode(t->parts, x->parts.data, x->parts.len, &ignored) < 0) {
			mem_free(t->parts); // it begins anew
			t->parts = NULL;
			t->level = -1;
			l->first = NULL;
			return 0;
		}
		t->from = x->from;
		t->to = x->to;
		return 0;
	}
	struct suite_test *of = l->first;
	if (!of || of->snapshot != x->snapshot)
		return 0;
	const struct suite_test t = {.snapshot = of->snapshot,
	                             .input = of->input,
	                             .name = of->name,
	                             .program = of->program,
	                             .times = of->times,
	                             .level = x->level,
	                             .matched = of->matched,
	                             .number = x->number,
	                             .from = x->from,
	                             .to = x->to,
	                             .slow = x->slow,
	                             .of = of};
	if (!of->why)
		suite_restore_window(l->suite, &t);
	return 0;
}

int scoping_load(struct store *store, struct suite *s, struct err *err)
{
	struct loading l = {.suite = s};
	return store_each_scope(store, load_scope, &l, err);
}

// --- beginning -----------------------------------------------------------------------------------

static int find_parts(struct campaign *c, struct suite_test *t, struct err *err)
{
	struct store *store = c->setup->store;
	struct suite *s = amplify_of(c)->suite;
	struct buf data = {0};
	struct snapshot snapshot;
	struct stored_input stored;
	struct input in = {0};
	if (store_get_snapshot(store, t->snapshot, &data, err) < 0)
		return -1;
	int r = snapshot_decode(&snapshot, data.data, data.len, err);
	buf_release(&data);
	if (r < 0)
		return -1;
	r = store_get_input(store, t->input, &stored, err);
	if (r == 0) {
		r = input_decode(&in, stored.data.data, stored.data.len, err);
		stored_input_release(&stored);
	}
	if (r == 0) {
		t->parts = mem_zero(sizeof *t->parts);
		scope_parts_init(t->parts, &snapshot, &in, c->setup->worker->sym, &s->alike, t->program);
		t->from = 0;
		t->to = scope_first(t->parts, *width_of(s, t->program));
	}
	input_release(&in);
	snapshot_release(&snapshot);
	return r;
}

int scoping_begin(struct campaign *c, struct suite_test *t, struct scoping *ret, struct err *err)
{
	struct suite_test *first = first_of(t);
	struct windows windows;
	*ret = (struct scoping){0};
	if (!first->parts && find_parts(c, first, err) < 0)
		return -1;
	ret->key = scope_windows(first->parts, t->from, t->to, &windows);
	windows_encode(&windows, &ret->windows);
	windows_release(&windows);
	return 0;
}

void scoping_release(struct scoping *t)
{
	buf_release(&t->windows);
	*t = (struct scoping){0};
}

// --- what a run came to --------------------------------------------------------------------------

static struct input_source source_of(const struct result_read *r)
{
	return input_source(r->kind, INPUT_BYTES, r->ordinal, r->name);
}

static bool was_read(void *opaque, struct input_source of)
{
	const struct result *r = opaque;
	for (uint32_t i = 0; i < r->n_reads; i++)
		if (input_is_same(source_of(&r->reads[i]), of))
			return true;
	return false;
}

// The position behind the last one in [from, to) that what was analysed of the run depends on; `from`: there is none.
static uint64_t reach_of(const struct scope_parts *parts, const struct suite_test *t, const struct result *r)
{
	uint64_t reached = t->from;
	for (uint32_t i = 0; i < r->n_reads; i++) {
		uint64_t at = scope_position(parts, source_of(&r->reads[i]), r->reads[i].count);
		if (r->reads[i].count && at > reached && at <= t->to)
			reached = at;
	}
	assert(t->from <= reached && reached <= t->to);
	return reached;
}

// Fewer positions; false: there are none that could be left out.
static bool narrow(struct campaign *c, struct suite_test *t)
{
	const struct scope_parts *parts = first_of(t)->parts;
	struct suite *s = amplify_of(c)->suite;
	uint64_t width = scope_width(parts, t->from, t->to) / SCOPE_FACTOR, to;
	if (width < SCOPE_LEAST)
		width = SCOPE_LEAST;
	to = t->number ? scope_reach(parts, t->from, width) : scope_first(parts, width);
	if (to >= t->to)
		return false;
	*width_of(s, t->program) = width;
	suite_narrow(s, t, t->from, to);
	return true;
}

int scoping_ran(struct campaign *c, struct suite_test *t, const struct result *r, bool *ret_narrowed, struct err *err)
{
	struct suite_test *first = first_of(t);
	uint64_t *width = width_of(amplify_of(c)->suite, t->program), used;
	*ret_narrowed = false;
	t->reached = 0;
	if (!t->number && !r->full) // a full trace does not say what was read later
		scope_parts_mark(first->parts, was_read, (void *)r);
	used = scope_width(first->parts, t->from, t->to);
	if (r->full || r->cut)
		t->reached = reach_of(first->parts, t, r);
	else if (r->run.end == RUN_TIMEOUT)
		*ret_narrowed = narrow(c, t);
	else if (r->nodes < NODES_FEW && r->decisions < DECISIONS_FEW && 2 * used >= *width && *width < WIDTH_MAX)
		*width *= SCOPE_FACTOR;
	return store_scope(c, t, err);
}

int scoping_next(struct campaign *c, struct suite_test *t, struct err *err)
{
	struct suite *s = amplify_of(c)->suite;
	struct suite_test *first = first_of(t);
	const struct scope_range range = {
		.from = t->from, .to = t->to, .reached = t->reached, .width = *width_of(s, t->program)};
	uint64_t from, to;
	if (t->number < first->windows || !scope_after(first->parts, &range, &from, &to))
		return 0;
	return store_scope(c, suite_add_window(s, t, from, to), err);
}

int scoping_past(struct campaign *c, struct suite_test *t, struct err *err)
{
	const struct suite_test *first = first_of(t);
	return first->parts && !first->why ? store_scope(c, t, err) : 0;
}
