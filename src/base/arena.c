#include "base/arena.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"

enum { ALIGNMENT = _Alignof(max_align_t) };

struct arena_block {
	struct arena_block *next;
	size_t size, used; // multiples of the alignment
	max_align_t data[];
};

static size_t round_up(size_t size)
{
	if (size > SIZE_MAX / 2)
		mem_exhausted();
	return (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

static size_t room(const struct arena *a)
{
	return a->blocks ? a->blocks->size - a->blocks->used : 0;
}

void *arena_alloc(struct arena *a, size_t size)
{
	size = round_up(size ? size : 1);
	if (room(a) < size) {
		size_t more = size > ARENA_BLOCK ? size : ARENA_BLOCK;
		struct arena_block *b = mem_alloc(sizeof *b + more);
		b->next = a->blocks;
		b->size = more;
		b->used = 0;
		a->blocks = b;
		a->bytes += sizeof *b + more;
	}
	void *p = (char *)a->blocks->data + a->blocks->used;
	a->blocks->used += size;
	assert(a->blocks->used <= a->blocks->size);
	return p;
}

char *arena_copy(struct arena *a, const void *data, size_t size)
{
	char *p = arena_alloc(a, size + 1);
	if (size)
		memcpy(p, data, size);
	p[size] = 0;
	return p;
}

char *arena_strdup(struct arena *a, const char *text)
{
	return arena_copy(a, text, strlen(text));
}

// What did not fit into a block is larger than what is left unused of it: two blocks that follow each other are at
// least half full, together. Blocks at both ends are the exceptions.
size_t arena_cost(const struct arena *a, size_t n, size_t size)
{
	enum { ENDS = 5, HEADS = ARENA_BLOCK / 2 / sizeof(struct arena_block) };
	size_t all = size + n * ALIGNMENT; // what rounding adds
	return all <= room(a) ? 0 : 2 * all + all / HEADS + ENDS * (sizeof(struct arena_block) + ARENA_BLOCK);
}

void arena_release(struct arena *a)
{
	while (a->blocks) {
		struct arena_block *next = a->blocks->next;
		mem_free(a->blocks);
		a->blocks = next;
	}
	a->bytes = 0;
}
