#include "store/map.h"

#include <assert.h>

#include "base/mem.h"

static struct map_slot *find(const struct map *m, uint64_t key)
{
	// The product's upper half has to do with all bits of the key once its own upper half is in the lower one.
	size_t mask = m->cap - 1, i = (size_t)(((key ^ key >> 32) * 0x9e3779b97f4a7c15u) >> 32) & mask;
	while (m->slots[i].value && m->slots[i].key != key)
		i = (i + 1) & mask;
	return &m->slots[i];
}

bool map_get(const struct map *m, uint64_t key, uint64_t *ret)
{
	const struct map_slot *slot = m->cap ? find(m, key) : NULL;
	if (!slot || !slot->value)
		return false;
	*ret = slot->value - 1;
	return true;
}

static void grow(struct map *m)
{
	struct map bigger = {.n = m->n, .cap = m->cap ? 2 * m->cap : 1024};
	bigger.slots = mem_zero(bigger.cap * sizeof *bigger.slots);
	for (size_t i = 0; i < m->cap; i++)
		if (m->slots[i].value)
			*find(&bigger, m->slots[i].key) = m->slots[i];
	mem_free(m->slots);
	*m = bigger;
}

void map_set(struct map *m, uint64_t key, uint64_t value)
{
	assert(value <= MAP_MOST);
	if (m->n >= m->cap / 4 * 3)
		grow(m);
	struct map_slot *slot = find(m, key);
	m->n += !slot->value;
	*slot = (struct map_slot){key, value + 1};
}

bool map_next(const struct map *m, size_t *at, uint64_t *ret_key, uint64_t *ret_value)
{
	for (; *at < m->cap; ++*at)
		if (m->slots[*at].value) {
			*ret_key = m->slots[*at].key;
			*ret_value = m->slots[*at].value - 1;
			++*at;
			return true;
		}
	return false;
}

void map_release(struct map *m)
{
	mem_free(m->slots);
	*m = (struct map){0};
}
