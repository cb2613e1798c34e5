#include "explore/tree.h"

#include "base/mem.h"
#include <assert.h>

void tree_init(struct tree *t, size_t most)
{
	*t = (struct tree){.most = most};
}

void tree_release(struct tree *t)
{
	mem_free(t->keys);
	mem_free(t->states);
	for (size_t i = 0; i < t->values_cap; i++)
		mem_free(t->values[i].v);
	mem_free(t->values);
	*t = (struct tree){0};
}

static size_t place_of(const struct tree *t, uint64_t key)
{
	size_t at = (size_t)(key * 0x9e3779b97f4a7c15u >> 20) & (t->cap - 1);
	while (t->keys[at] && t->keys[at] != key)
		at = (at + 1) & (t->cap - 1);
	return at;
}

static void grow(struct tree *t)
{
	struct tree old = *t;
	t->cap = old.cap ? 2 * old.cap : 1 << 12;
	t->keys = mem_zero(t->cap * sizeof *t->keys);
	t->states = mem_zero(t->cap);
	for (size_t i = 0; i < old.cap; i++)
		if (old.keys[i]) {
			size_t at = place_of(t, old.keys[i]);
			t->keys[at] = old.keys[i];
			t->states[at] = old.states[i];
		}
	mem_free(old.keys);
	mem_free(old.states);
}

enum tree_state tree_get(const struct tree *t, uint64_t key)
{
	size_t at = t->cap ? place_of(t, key ? key : 1) : 0;
	return t->cap && t->keys[at] ? (enum tree_state)t->states[at] : TREE_NEW;
}

enum tree_state tree_set(struct tree *t, uint64_t key, enum tree_state state)
{
	key = key ? key : 1;
	enum tree_state before = tree_get(t, key);
	if (before == TREE_TAKEN || before == state)
		return before;
	assert(state < TREE_STATES);
	bool is_there = t->cap && t->keys[place_of(t, key)];
	if (!is_there) {
		if (t->n >= t->most) {
			t->full = true;
			return TREE_NEW;
		}
		if (4 * (t->n + 1) > 3 * t->cap)
			grow(t);
		t->n++;
	} else {
		assert(t->count[before]);
		t->count[before]--;
	}
	size_t at = place_of(t, key);
	t->keys[at] = key;
	t->states[at] = (uint8_t)state;
	t->count[state]++;
	return before;
}

// --- values ---------------------------------------------------------------------------------------

static struct tree_values *values_at(struct tree_values *v, size_t cap, uint64_t place)
{
	size_t at = (size_t)(place * 0x9e3779b97f4a7c15u >> 20) & (cap - 1);
	while (v[at].place && v[at].place != place)
		at = (at + 1) & (cap - 1);
	return &v[at];
}

static void grow_values(struct tree *t)
{
	size_t cap = t->values_cap ? 2 * t->values_cap : 256;
	struct tree_values *bigger = mem_zero(cap * sizeof *bigger);
	for (size_t i = 0; i < t->values_cap; i++)
		if (t->values[i].place)
			*values_at(bigger, cap, t->values[i].place) = t->values[i];
	mem_free(t->values);
	t->values = bigger;
	t->values_cap = cap;
}

const struct tree_values *tree_find_values(const struct tree *t, uint64_t place)
{
	const struct tree_values *v = t->values_cap ? values_at(t->values, t->values_cap, place ? place : 1) : NULL;
	return v && v->place ? v : NULL;
}

const struct tree_values *tree_add_value(struct tree *t, uint64_t place, uint64_t value)
{
	place = place ? place : 1;
	if (16 * t->n_values >= t->most) {
		t->full = true;
		return NULL;
	}
	if (2 * (t->n_values + 1) > t->values_cap)
		grow_values(t);
	struct tree_values *v = values_at(t->values, t->values_cap, place);
	if (!v->place) {
		v->place = place;
		t->n_values++;
	}
	for (uint32_t i = 0; i < v->n; i++)
		if (v->v[i] == value)
			return NULL;
	if (v->n == TREE_VALUES_MAX) {
		t->full = true;
		return NULL;
	}
	if (v->n == v->max) {
		v->max = v->max ? 2 * v->max : 4;
		v->v = mem_resize(v->v, v->max * sizeof *v->v);
	}
	v->v[v->n++] = value;
	return v;
}
