// Strategies that give every candidate an order when it turns up, and choose the first one.
#ifndef VEER_SEARCH_STRATEGIES_HEAP_H
#define VEER_SEARCH_STRATEGIES_HEAP_H

#include "base/map.h"
#include "base/random.h"
#include "search/strategy.h"

// How often candidates of a branch edge, whatever came before it, or of any edge of a branch were chosen.
struct tally {
	uint64_t name; // 0: free
	uint32_t n;
};
MAP(tallies, struct tally);

struct heap {
	const struct strategy_setup *setup;
	uint64_t (*order)(struct heap *h, const struct candidate *f); // the larger the sooner
	bool falls;                                               // an order can fall with time, and is computed again
	void (*chose)(struct heap *h, const struct candidate *f); // NULL: of no interest
	void (*gone)(void *opaque, uint64_t key);                 // likewise; heap_report_gone
	void *opaque;
	struct heap_entry *v;
	size_t n, max;
	uint64_t random, count;
	struct tallies tallies; // of generational.c
};

struct heap *heap_new(const struct strategy_setup *setup, uint64_t (*order)(struct heap *h, const struct candidate *f));

// Calls `gone` for each candidate that would be chosen, but was solved, or taken by a run, meanwhile. `gone` may add
// candidates.
void heap_report_gone(struct heap *h, void (*gone)(void *opaque, uint64_t key), void *opaque);

// Parts of a strategy_class.
void heap_free(void *own);
void heap_add(void *own, const struct candidate *f);
uint32_t heap_choose(void *own, unsigned slot, struct candidate *ret, uint32_t most, bool *ret_first);
size_t heap_waiting(const void *own);

#define HEAP_CLASS(name)                                                                                               \
	const struct strategy_class strategy_##name = {                                                                \
		.new = new,                                                                                            \
		.release = heap_free,                                                                                  \
		.add = heap_add,                                                                                       \
		.choose = heap_choose,                                                                                 \
		.waiting = heap_waiting,                                                                               \
	}

#endif
