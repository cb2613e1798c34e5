// Memory by lifetime: pieces of any size, of which none is given back alone, and all at once. For what is made bit by
// bit and dropped together: a generation of a cache, the names of a campaign's code.
//
//	struct arena a = {0};                        // valid and empty
//	struct entry *e = arena_alloc(&a, sizeof *e);
//	e->name = arena_strdup(&a, name);
//	arena_release(&a);                           // empty again
//
// The arena owns every piece. Pieces do not move.
#ifndef VEER_BASE_ARENA_H
#define VEER_BASE_ARENA_H

#include <stddef.h>

enum { ARENA_BLOCK = 1 << 12 }; // memory is taken in blocks of at least this size

struct arena {
	struct arena_block *blocks; // the one that is being filled first
	size_t bytes;               // that it has taken, unused ones included
};

// Aligned for anything, not initialised; of size 0, too, a piece.
void *arena_alloc(struct arena *a, size_t size);
char *arena_copy(struct arena *a, const void *data, size_t size); // adds a terminating NUL
char *arena_strdup(struct arena *a, const char *text);

// At most what `n` pieces, of `size` bytes in all, add to `bytes`. For who has to stay below a limit.
size_t arena_cost(const struct arena *a, size_t n, size_t size);

void arena_release(struct arena *a);

#endif
