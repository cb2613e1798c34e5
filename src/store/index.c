#include "store/index.h"

#include <assert.h>

MAP_FUNCTIONS(entries, struct index, uint64_t, .key, .value, map_hash_number, map_same_number)

bool index_get(const struct index *m, uint64_t key, uint64_t *ret)
{
	const struct index_entry *x = entries_get(m, key);
	if (!x)
		return false;
	*ret = x->value - 1;
	return true;
}

void index_set(struct index *m, uint64_t key, uint64_t value)
{
	assert(value <= INDEX_MOST);
	entries_put(m, key)->value = value + 1;
}

bool index_next(const struct index *m, size_t *at, uint64_t *ret_key, uint64_t *ret_value)
{
	const struct index_entry *x = entries_next(m, at);
	if (!x)
		return false;
	*ret_key = x->key;
	*ret_value = x->value - 1;
	return true;
}

void index_release(struct index *m)
{
	entries_release(m);
}
