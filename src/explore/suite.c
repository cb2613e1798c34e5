#include "explore/suite.h"

#include "base/mem.h"

struct suite_test *suite_add(struct suite *s, const struct suite_test *t)
{
	if (s->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 256;
		s->v = mem_resize(s->v, s->cap * sizeof *s->v);
	}
	s->v[s->n] = *t;
	return &s->v[s->n++];
}

void suite_release(struct suite *s)
{
	for (size_t i = 0; i < s->n; i++)
		mem_free(s->v[i].why);
	mem_free(s->v);
	mem_free(s->at);
	*s = (struct suite){0};
}

static void count_waiting(struct suite *s)
{
	s->left = s->unready = 0;
	for (size_t i = 0; i < s->n; i++) {
		struct suite_test *t = &s->v[i];
		if (t->unready) {
			t->state = TEST_PAST;
			s->unready++;
			continue;
		}
		bool past = t->why || t->last || t->level >= (int32_t)s->distance || (t->dropped && s->distance > 0);
		t->state = past ? TEST_PAST : TEST_WAITS;
		s->left += !past;
	}
}

void suite_start(struct suite *s)
{
	s->distance = 0;
	s->done = false;
	count_waiting(s);
	while (!s->left && suite_farther(s))
		;
}

void suite_ready(struct suite *s, uint32_t program)
{
	for (size_t i = 0; i < s->n; i++) {
		struct suite_test *t = &s->v[i];
		if (t->program != program || !t->unready)
			continue;
		t->unready = false;
		s->unready--;
		bool waits = !t->why && !t->last && t->level < (int32_t)s->distance;
		t->state = waits ? TEST_WAITS : TEST_PAST;
		s->left += waits;
	}
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
	if (s->n_at == s->at_cap) {
		s->at_cap = s->at_cap ? 2 * s->at_cap : 16;
		s->at = mem_resize(s->at, s->at_cap * sizeof *s->at);
	}
	s->at[s->n_at++] = program;
}

static void remove_at(struct suite *s, uint32_t program)
{
	for (size_t i = 0; i < s->n_at; i++)
		if (s->at[i] == program) {
			s->at[i] = s->at[--s->n_at];
			return;
		}
}

// Starting a program takes longer than a short test: a worker stays with one, and each has its own if there are enough.
struct suite_test *suite_next(struct suite *s, uint32_t program)
{
	struct suite_test *best = NULL;
	for (size_t i = 0; s->left && i < s->n; i++) {
		struct suite_test *t = &s->v[i];
		if (t->state != TEST_WAITS)
			continue;
		if (t->program == program) {
			best = t;
			break;
		}
		if (!best ||
		    (is_elsewhere(s, best->program) && best->program != t->program && !is_elsewhere(s, t->program)))
			best = t;
	}
	if (best) {
		best->state = TEST_AT;
		add_at(s, best->program);
		s->left--;
	}
	return best;
}

void suite_past(struct suite *s, struct suite_test *t, bool all, bool last)
{
	if (t->state == TEST_AT)
		remove_at(s, t->program);
	t->state = TEST_PAST;
	t->cut |= !all;
	if (all && !t->why && t->level + 1 == (int32_t)s->distance)
		t->level = (int32_t)s->distance;
	if (all && !t->why && t->dropped)
		t->level = LEVEL_DROPPED;
	if (last && !t->why) {
		t->last = true;
		t->level = t->cut ? t->level : LEVEL_ALL;
	}
}

bool suite_farther(struct suite *s)
{
	bool any = false;
	if (s->unready)
		return false;
	if (s->distance >= s->max_distance) {
		s->done = true;
		return false;
	}
	s->distance++;
	count_waiting(s);
	for (size_t i = 0; i < s->n; i++)
		any |= !s->v[i].why && !s->v[i].dropped && !s->v[i].last && s->v[i].level < LEVEL_ALL;
	s->done = !any;
	return any;
}
