// Numbers by number, in memory: where rows are that have no order on disk. An index in the database would change a
// page per row at random places, all of which each commit would have to write; rows are appended instead.
#ifndef VEER_STORE_INDEX_H
#define VEER_STORE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

#define INDEX_MOST (UINT64_MAX - 1) // the largest value

struct index_entry {
	uint64_t key, value; // value is one more than it stands for; 0: a free slot
};
MAP(index, struct index_entry);

bool index_get(const struct index *m, uint64_t key, uint64_t *ret);
void index_set(struct index *m, uint64_t key, uint64_t value);
// Starting with *at == 0: the next entry, in no order, or false.
bool index_next(const struct index *m, size_t *at, uint64_t *ret_key, uint64_t *ret_value);
void index_release(struct index *m);

#endif
