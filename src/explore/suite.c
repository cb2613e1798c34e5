#include "explore/suite.h"

#include <assert.h>

#include "base/bug.h"
#include "base/mem.h"
#include "base/vec.h"
#include "store/store.h"

int suite_store(const struct suite_test *t, struct store *store, struct err *err)
{
	assert(!t->of);
	const struct stored_snapshot s = {.id = t->snapshot,
	                                  .level = t->level,
	                                  .times = t->times,
	                                  .present = true,
	                                  .why = t->why,
	                                  .outcome = (char *)outcome_word(t->outcome),
	                                  .native_us = t->native_us};
	return store_update_snapshot(store, &s, err);
}

struct suite_test *suite_add(struct suite *s, const struct suite_test *t)
{
	vec_room(s->v, s->n + 1, s->cap);
	s->v[s->n] = *t;
	return &s->v[s->n++];
}

static void release_test(struct suite_test *t)
{
	mem_free(t->why);
	if (t->parts)
		scope_parts_release(t->parts);
	mem_free(t->parts);
}

void suite_release(struct suite *s)
{
	for (size_t i = 0; i < s->n; i++)
		release_test(&s->v[i]);
	for (size_t i = 0; i < s->n_windows; i++) {
		release_test(s->windows[i]);
		mem_free(s->windows[i]);
	}
	mem_free(s->v);
	mem_free(s->windows);
	mem_free(s->at);
	mem_free(s->widths);
	alike_release(&s->alike);
	*s = (struct suite){0};
}

// First scopes, then later ones.
static struct suite_test *scope_at(const struct suite *s, size_t i)
{
	assert(i < s->n + s->n_windows);
	return i < s->n ? &s->v[i] : s->windows[i - s->n];
}

unsigned suite_distance(const struct suite_test *t)
{
	return (unsigned)(t->tried + 1);
}

static bool is_out(const struct suite_test *t)
{
	return t->why || (t->of && t->of->why);
}

// Has the scope something to do at this distance, or a smaller one?
static bool is_due(const struct suite *s, const struct suite_test *t)
{
	return !is_out(t) && !t->last && t->tried < (int32_t)s->distance && (!t->dropped || t->tried < 0);
}

static void set_waiting(struct suite *s, struct suite_test *t)
{
	t->state = !t->unready && is_due(s, t) ? TEST_WAITS : TEST_PAST;
	s->left += t->state == TEST_WAITS && !t->slow;
	s->slow += t->state == TEST_WAITS && t->slow;
}

static void count_waiting(struct suite *s)
{
	s->left = s->slow = s->unready = 0;
	for (size_t i = 0; i < s->n + s->n_windows; i++) {
		struct suite_test *t = scope_at(s, i);
		set_waiting(s, t);
		s->unready += t->unready;
	}
}

void suite_start(struct suite *s)
{
	s->distance = 0;
	s->done = false;
	for (size_t i = 0; i < s->n + s->n_windows; i++)
		scope_at(s, i)->tried = scope_at(s, i)->level;
	count_waiting(s);
	while (!s->left && suite_farther(s))
		;
}

void suite_ready(struct suite *s, uint32_t program)
{
	for (size_t i = 0; i < s->n + s->n_windows; i++) {
		struct suite_test *t = scope_at(s, i);
		if (t->program != program || !t->unready)
			continue;
		assert(s->unready);
		t->unready = false;
		s->unready--;
		set_waiting(s, t);
	}
}

static struct suite_test *add_window(struct suite *s, const struct suite_test *t)
{
	vec_room(s->windows, s->n_windows + 1, s->windows_cap);
	struct suite_test *own = (struct suite_test *)mem_copy(t, sizeof *t);
	s->windows[s->n_windows++] = own;
	return own;
}

struct suite_test *suite_add_window(struct suite *s, struct suite_test *after, uint64_t from, uint64_t to)
{
	struct suite_test *of = after->number ? after->of : after;
	assert(from < to && !of->of);
	of->windows++;
	const struct suite_test t = {.snapshot = of->snapshot,
	                             .input = of->input,
	                             .name = of->name,
	                             .program = of->program,
	                             .times = of->times,
	                             .level = -1,
	                             .matched = true,
	                             .late = of->late,
	                             .number = after->number + 1,
	                             .from = from,
	                             .to = to,
	                             .tried = -1,
	                             .slow = after->number > 0,
	                             .poor = after->dropped,
	                             .of = of};
	struct suite_test *own = add_window(s, &t);
	set_waiting(s, own);
	s->done = false;
	return own;
}

struct suite_test *suite_restore_window(struct suite *s, const struct suite_test *stored)
{
	struct suite_test *of = stored->of;
	assert(of && !of->of && stored->number);
	struct suite_test *t = add_window(s, stored);
	of->windows = t->number > of->windows ? t->number : of->windows;
	t->unready = of->unready;
	return t;
}

static bool is_elsewhere(const struct suite *s, uint32_t program)
{
	for (size_t i = 0; i < s->n_at; i++)
		if (s->at[i] == program)
			return true;
	return false;
}

static void add_at(struct suite *s, uint32_t program)
{
	vec_room(s->at, s->n_at + 1, s->at_cap);
	s->at[s->n_at++] = program;
}

static void remove_at(struct suite *s, uint32_t program)
{
	for (size_t i = 0; i < s->n_at; i++)
		if (s->at[i] == program) {
			s->at[i] = s->at[--s->n_at];
			return;
		}
	BUG("no worker is at the test's program");
}

static struct suite_test *take(struct suite *s, struct suite_test *t)
{
	assert(t->state == TEST_WAITS && !t->unready);
	t->state = TEST_AT;
	add_at(s, t->program);
	return t;
}

// The smallest comes next: by distance, then tests that are not late.
static int64_t rank(const struct suite_test *t)
{
	return 2 * (int64_t)t->tried + t->late;
}

static int64_t least_rank(const struct suite *s)
{
	int64_t least = INT64_MAX;
	for (size_t i = 0; i < s->n + s->n_windows; i++) {
		const struct suite_test *t = scope_at(s, i);
		if (t->state == TEST_WAITS && !t->slow && rank(t) < least)
			least = rank(t);
	}
	return least;
}

// Starting a program takes longer than a short test: a worker stays with one, and each has its own if there are enough.
struct suite_test *suite_next(struct suite *s, uint32_t program)
{
	struct suite_test *best = NULL;
	int64_t least = s->left && (s->n_windows || s->late) ? least_rank(s) : INT64_MAX;
	for (size_t i = 0; s->left && i < s->n + s->n_windows; i++) {
		struct suite_test *t = scope_at(s, i);
		if (t->state != TEST_WAITS || t->slow || rank(t) > least)
			continue;
		if (t->program == program) {
			best = t;
			break;
		}
		if (!best ||
		    (is_elsewhere(s, best->program) && best->program != t->program && !is_elsewhere(s, t->program)))
			best = t;
	}
	if (!best)
		return NULL;
	suite_take(s, best);
	return best;
}

void suite_take(struct suite *s, struct suite_test *t)
{
	assert(s->left && !t->slow);
	s->left--;
	take(s, t);
}

// Windows after one that had something new come first.
static bool is_better(const struct suite_test *a, const struct suite_test *b, uint32_t program)
{
	if (a->poor != b->poor)
		return !a->poor;
	return a->program == program && b->program != program;
}

struct suite_test *suite_next_slow(struct suite *s, uint32_t program)
{
	struct suite_test *best = NULL;
	for (size_t i = 0; s->slow && i < s->n_windows; i++) {
		struct suite_test *t = s->windows[i];
		if (t->state == TEST_WAITS && t->slow && (!best || is_better(t, best, program)))
			best = t;
	}
	if (!best)
		return NULL;
	best->slow = false;
	s->slow--;
	return take(s, best);
}

void suite_narrow(struct suite *s, struct suite_test *t, uint64_t from, uint64_t to)
{
	assert(t->from <= from && from <= to && to <= t->to);
	if (t->state == TEST_AT)
		remove_at(s, t->program);
	t->from = from;
	t->to = to;
	t->state = TEST_WAITS;
	s->left++;
}

void suite_give_back(struct suite *s, struct suite_test *t)
{
	assert(t->state == TEST_AT);
	remove_at(s, t->program);
	t->state = TEST_WAITS;
	s->left++;
}

void suite_delay(struct suite *s, struct suite_test *t)
{
	s->late += !t->late;
	t->late = true;
}

void suite_past(struct suite *s, struct suite_test *t, bool all, bool last)
{
	if (t->state == TEST_AT)
		remove_at(s, t->program);
	t->tried++;
	t->cut |= !all;
	if (all && !t->why && t->level + 1 == t->tried)
		t->level = t->tried;
	if (all && !t->why && t->dropped)
		t->level = LEVEL_DROPPED;
	if (last && !t->why) {
		t->last = true;
		t->level = t->cut ? t->level : LEVEL_ALL;
	}
	assert((t->of == NULL) == (t->number == 0));
	set_waiting(s, t);
}

static bool has_more(const struct suite_test *t)
{
	return !is_out(t) && !t->slow && !t->dropped && !t->last && t->level < LEVEL_ALL;
}

bool suite_farther(struct suite *s)
{
	bool any = false;
	if (s->unready)
		return false;
	for (size_t i = 0; i < s->n + s->n_windows && s->distance < s->max_distance; i++)
		any |= has_more(scope_at(s, i));
	s->done = !any && !s->slow;
	if (!any)
		return false;
	s->distance++;
	count_waiting(s);
	return true;
}
