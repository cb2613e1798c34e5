// The growable array.
//
// A vector is any struct with the members `v`, `n` and `cap`; VEC(type) is one that needs no name of its own. A
// zero-initialised one is valid and empty. Invariants: n <= cap; `v` is NULL as long as cap is 0. Whoever owns the
// struct owns `v` and gives it back with vec_release(); what elements own is released before, by who knows it.
//
//	VEC(struct seed) seeds = {0};
//	vec_push(&seeds, (struct seed){.id = 1});
//	for (size_t i = 0; i < seeds.n; i++)
//		use(&seeds.v[i]);
//	vec_release(&seeds);
//
// These are macros, so that the compiler checks the types; a vector is evaluated more than once, what is pushed is
// evaluated once. A pointer to an element is valid until the next one is added.
#ifndef VEER_BASE_VEC_H
#define VEER_BASE_VEC_H

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "base/mem.h"

#define VEC(type)                                                                                                      \
	struct {                                                                                                       \
		type *v;                                                                                               \
		size_t n, cap;                                                                                         \
	}

// Room for `more` elements behind those that are there.
#define vec_reserve(x, more) vec_room((x)->v, (x)->n + (more), (x)->cap)

#define vec_push(x, ...)                                                                                               \
	do {                                                                                                           \
		vec_reserve(x, 1);                                                                                     \
		(x)->v[(x)->n++] = (__VA_ARGS__);                                                                      \
	} while (0)

// Adds an element that is all zeros, and gives its address.
#define vec_add(x)                                                                                                     \
	__extension__({                                                                                                \
		vec_reserve(x, 1);                                                                                     \
		memset(&(x)->v[(x)->n], 0, sizeof *(x)->v);                                                            \
		&(x)->v[(x)->n++];                                                                                     \
	})

// The last element is there no more; it is what this gives. The vector is not empty.
#define vec_pop(x) (assert((x)->n > 0), (x)->v[--(x)->n])

// Empty again: clear keeps the memory, release gives it back.
#define vec_clear(x) ((void)((x)->n = 0))
#define vec_release(x)                                                                                                 \
	do {                                                                                                           \
		mem_free((x)->v);                                                                                      \
		(x)->v = NULL;                                                                                         \
		(x)->n = (x)->cap = 0;                                                                                 \
	} while (0)

// How many elements have a smaller `member` than the key: of a vector in the order of that member, the index of the
// first one with the key, if there is any.
#define vec_lower(x, member, key)                                                                                      \
	__extension__({                                                                                                \
		size_t vec_low_ = 0, vec_high_ = (x)->n;                                                               \
		while (vec_low_ < vec_high_) {                                                                         \
			size_t vec_middle_ = vec_low_ + (vec_high_ - vec_low_) / 2;                                    \
			if ((x)->v[vec_middle_].member < (key))                                                        \
				vec_low_ = vec_middle_ + 1;                                                            \
			else                                                                                           \
				vec_high_ = vec_middle_;                                                               \
		}                                                                                                      \
		vec_low_;                                                                                              \
	})

// What the above are made of, for an array whose length is kept elsewhere: `array` has room for `cap` elements, and
// afterwards for `need`. The new ones are not initialised.
#define vec_room(array, need, cap)                                                                                     \
	do {                                                                                                           \
		if ((need) > (cap)) {                                                                                  \
			size_t vec_cap_ = vec_capacity((need), (cap), sizeof *(array));                                \
			(array) = mem_resize((array), vec_cap_ * sizeof *(array));                                     \
			(cap) = (__typeof__(cap))vec_cap_;                                                             \
			assert((cap) == vec_cap_);                                                                     \
		}                                                                                                      \
	} while (0)

// Room for one more in an array of which nothing but the number of elements is known. It has room for the next power of
// two, so it must never grow in another way.
#define vec_more(array, n)                                                                                             \
	do {                                                                                                           \
		if (((n) & ((n) - 1)) == 0)                                                                            \
			(array) = mem_resize((array), ((n) ? 2 * (size_t)(n) : 1) * sizeof *(array));                  \
	} while (0)

// For an array that has an element for each of something else, such as the nodes of a pool: it had `from` elements, and
// afterwards has `to`, the new ones all zeros.
#define vec_cover(array, from, to)                                                                                     \
	do {                                                                                                           \
		assert((from) <= (to));                                                                                \
		(array) = mem_resize((array), (size_t)(to) * sizeof *(array));                                         \
		memset((array) + (from), 0, (size_t)((to) - (from)) * sizeof *(array));                                \
	} while (0)

// For several arrays that grow together: how many elements of at most `each` bytes to make room for, when `need` are
// needed and there is room for `cap`. At least twice as many as before, so that adding one by one takes linear time.
// Does not return when they would not fit into the address space.
static inline size_t vec_capacity(size_t need, size_t cap, size_t each)
{
	enum { FIRST = 8 };
	size_t more = cap ? 2 * cap : FIRST;
	more = more < need ? need : more;
	if (need <= cap)
		return cap;
	if (cap > (size_t)-1 / 2 || more > (size_t)-1 / 2 / each)
		mem_exhausted();
	return more;
}

#endif
