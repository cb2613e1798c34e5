// Any candidate, with the same probability.
#include "explore/strategies/heap.h"

static uint64_t order(struct heap *h, const struct candidate *f)
{
	(void)f;
	return heap_scatter(h->random += 0x9e3779b97f4a7c15u);
}

static void *new (const struct strategy_setup *setup, struct paths *paths)
{
	(void)paths;
	return heap_new(setup, order);
}

HEAP_CLASS(random);
