// Numbers by number, in memory: where rows are that have no order on disk. An index in the database would change a
// page per row at random places, all of which each commit would have to write; rows are appended instead.
#ifndef VEER_STORE_MAP_H
#define VEER_STORE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAP_MOST (UINT64_MAX - 1) // the largest value

struct map {
	struct map_slot *slots;
	size_t n, cap; // cap: 0 or a power of two
};

struct map_slot {
	uint64_t key, value; // value is one more than it stands for; 0: empty
};

bool map_get(const struct map *m, uint64_t key, uint64_t *ret);
void map_set(struct map *m, uint64_t key, uint64_t value);
// Starting with *at == 0: the next entry, in no order, or false.
bool map_next(const struct map *m, size_t *at, uint64_t *ret_key, uint64_t *ret_value);
void map_release(struct map *m);

#endif
