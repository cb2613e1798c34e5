// The longest path first.
#include "search/strategies/heap.h"

static uint64_t order(struct heap *h, const struct candidate *f)
{
	(void)h;
	return f->depth;
}

static void *new(const struct strategy_setup *setup, struct paths *paths)
{
	(void)paths;
	return heap_new(setup, order);
}

HEAP_CLASS(dfs);
