// The hash map: open addressing over entries that have their keys in them.
//
//	struct tally { uint64_t name; uint32_t n; };         // an entry; all zeros: a free slot
//	MAP(tallies, struct tally);                          // struct tallies
//	MAP_FUNCTIONS(tallies, struct tallies, uint64_t, .name, .n, map_hash_number, map_same_number)
//
//	struct tallies t = {0};                              // valid and empty
//	struct tally *x = tallies_put(&t, name);             // the entry of the key, which is there afterwards
//	const struct tally *y = tallies_get(&t, name);       // NULL: it is not there
//	for (size_t at = 0; (x = tallies_next(&t, &at));)    // all of them, in an order of the map's choosing
//		...
//	tallies_release(&t);                                 // the slots; what entries own is released before
//
// put() has filled in the key of a new entry, and nothing else: the caller makes its `used` member non-zero before the
// next call. (The key itself may be that member when it is never zero.) A pointer to an entry is valid until the next
// put(). Nothing can be taken out. Keys are passed by value.
//
// Where a table is the whole work of a program's inner loop there may be one of a special form: the pool of
// expressions, the AIG, the execution tree. Each says why.
#ifndef VEER_BASE_MAP_H
#define VEER_BASE_MAP_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/random.h"

#define MAP(name, entry)                                                                                               \
	struct name {                                                                                                  \
		entry *slots;                                                                                          \
		size_t n, cap; /* cap: 0 or a power of two; n is at most three quarters of it */                       \
	}

// The lower bits of a hash choose the slot: these hashes have to do with all of the key in all of their bits.
static inline uint64_t map_hash_number(uint64_t key)
{
	return random_scatter(key);
}

static inline uint64_t map_hash_pointer(const void *key)
{
	return random_scatter((uintptr_t)key);
}

static inline uint64_t map_hash_text(const char *key)
{
	return hash_text(key);
}

static inline uint64_t map_hash_digest(struct hash key)
{
	return key.low;
}

static inline bool map_same_number(uint64_t a, uint64_t b)
{
	return a == b;
}

static inline bool map_same_pointer(const void *a, const void *b)
{
	return a == b;
}

static inline bool map_same_text(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

static inline bool map_same_digest(struct hash a, struct hash b)
{
	return a.low == b.low && a.high == b.high;
}

#define MAP_ENTRY(type) __typeof__(*((type *)0)->slots)

// Defines PREFIX_get, PREFIX_put, PREFIX_next and PREFIX_release for the map, in the file that uses them.
#define MAP_FUNCTIONS(prefix, type, key_type, key_member, used_member, hash, same)                                     \
	static inline MAP_ENTRY(type) * prefix##_slot(MAP_ENTRY(type) * slots, size_t cap, key_type key)               \
	{                                                                                                              \
		size_t at = (size_t)hash(key) & (cap - 1);                                                             \
		while (slots[at] used_member && !same(slots[at] key_member, key))                                      \
			at = (at + 1) & (cap - 1);                                                                     \
		return &slots[at];                                                                                     \
	}                                                                                                              \
                                                                                                                       \
	__attribute__((unused)) static inline MAP_ENTRY(type) * prefix##_get(const type *m, key_type key)              \
	{                                                                                                              \
		MAP_ENTRY(type) *x = m->cap ? prefix##_slot(m->slots, m->cap, key) : NULL;                             \
		return x && (*x)used_member ? x : NULL;                                                                \
	}                                                                                                              \
                                                                                                                       \
	static inline void prefix##_grow(type *m)                                                                      \
	{                                                                                                              \
		size_t cap = m->cap ? 2 * m->cap : 64;                                                                 \
		MAP_ENTRY(type) *slots = mem_zero(cap * sizeof *slots);                                                \
		for (size_t i = 0; i < m->cap; i++)                                                                    \
			if (m->slots[i] used_member)                                                                   \
				*prefix##_slot(slots, cap, m->slots[i] key_member) = m->slots[i];                      \
		mem_free(m->slots);                                                                                    \
		m->slots = slots;                                                                                      \
		m->cap = cap;                                                                                          \
	}                                                                                                              \
                                                                                                                       \
	__attribute__((unused)) static inline MAP_ENTRY(type) * prefix##_put(type *m, key_type key)                    \
	{                                                                                                              \
		assert((m->cap & (m->cap - 1)) == 0 && 4 * m->n <= 3 * m->cap);                                        \
		if (4 * (m->n + 1) > 3 * m->cap)                                                                       \
			prefix##_grow(m);                                                                              \
		MAP_ENTRY(type) *x = prefix##_slot(m->slots, m->cap, key);                                             \
		if (!(*x)used_member) {                                                                                \
			(*x) key_member = key;                                                                         \
			m->n++;                                                                                        \
		}                                                                                                      \
		return x;                                                                                              \
	}                                                                                                              \
                                                                                                                       \
	__attribute__((unused)) static inline MAP_ENTRY(type) * prefix##_next(const type *m, size_t *at)               \
	{                                                                                                              \
		while (*at < m->cap && !m->slots[*at] used_member)                                                     \
			++*at;                                                                                         \
		return *at < m->cap ? &m->slots[(*at)++] : NULL;                                                       \
	}                                                                                                              \
                                                                                                                       \
	__attribute__((unused)) static inline void prefix##_release(type *m)                                           \
	{                                                                                                              \
		mem_free(m->slots);                                                                                    \
		*m = (type){0};                                                                                        \
	}

#endif
