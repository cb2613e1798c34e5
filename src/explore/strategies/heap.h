// Strategies that give every candidate an order when it turns up, and choose the first one.
#ifndef VEER_EXPLORE_STRATEGIES_HEAP_H
#define VEER_EXPLORE_STRATEGIES_HEAP_H

#include "explore/strategy.h"

struct heap {
	const struct strategy_setup *setup;
	uint64_t (*order)(struct heap *h, const struct candidate *f); // the larger the sooner
	bool falls;                                               // an order can fall with time: it is looked at again
	void (*chose)(struct heap *h, const struct candidate *f); // NULL: of no interest
	void (*gone)(void *opaque, uint64_t key);                 // likewise; heap_report_gone
	void *opaque;
	struct heap_entry *v;
	size_t n, max;
	uint64_t random, count;
	struct tally *tallies; // of generational.c
	size_t n_tallies, tallies_cap;
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

uint64_t heap_scatter(uint64_t x); // evenly, the same for the same

#define HEAP_CLASS(name)                                                                                               \
	const struct strategy_class strategy_##name = {                                                                \
		.new = new,                                                                                            \
		.release = heap_free,                                                                                  \
		.add = heap_add,                                                                                       \
		.choose = heap_choose,                                                                                 \
		.waiting = heap_waiting,                                                                               \
	}

#endif
