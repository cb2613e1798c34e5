#include "path/tree.h"

#include "base/mem.h"
#include "base/vec.h"
#include <assert.h>

MAP_FUNCTIONS(values, struct tree_places, uint64_t, .place, .place, map_hash_number, map_same_number)

void tree_init(struct tree *t, size_t most)
{
	assert(most > 0);
	*t = (struct tree){.most = most};
}

void tree_release(struct tree *t)
{
	mem_free(t->keys);
	mem_free(t->states);
	struct tree_values *v;
	for (size_t at = 0; (v = values_next(&t->values, &at));)
		mem_free(v->v);
	values_release(&t->values);
	*t = (struct tree){0};
}

static size_t place_of(const struct tree *t, uint64_t key)
{
	assert(key && t->n < t->cap); // a free place ends the search
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
	assert(t->n <= t->most);
	t->count[state]++;
	return before;
}

// --- values ---------------------------------------------------------------------------------------

const struct tree_values *tree_find_values(const struct tree *t, uint64_t place)
{
	return values_get(&t->values, place ? place : 1);
}

const struct tree_values *tree_add_value(struct tree *t, uint64_t place, uint64_t value)
{
	place = place ? place : 1;
	if (16 * t->values.n >= t->most) {
		t->full = true;
		return NULL;
	}
	struct tree_values *v = values_put(&t->values, place);
	for (uint32_t i = 0; i < v->n; i++)
		if (v->v[i] == value)
			return NULL;
	if (v->n == TREE_VALUES_MAX) {
		t->full = true;
		return NULL;
	}
	assert(v->place == place && v->n < TREE_VALUES_MAX);
	vec_room(v->v, v->n + 1, v->max);
	v->v[v->n++] = value;
	return v;
}
