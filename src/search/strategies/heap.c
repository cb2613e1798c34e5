#include "search/strategies/heap.h"

#include <assert.h>

#include "base/mem.h"
#include "base/vec.h"

struct heap_entry {
	uint64_t order, late; // late: of the same order, the first comes first
	struct candidate candidate;
};

struct heap *heap_new(const struct strategy_setup *setup, uint64_t (*order)(struct heap *h, const struct candidate *f))
{
	struct heap *h = mem_zero(sizeof *h);
	h->setup = setup;
	h->order = order;
	h->random = setup->random;
	return h;
}

void heap_free(void *own)
{
	struct heap *h = own;
	mem_free(h->v);
	mem_free(h->tallies.slots);
	mem_free(h);
}

void heap_report_gone(struct heap *h, void (*gone)(void *opaque, uint64_t key), void *opaque)
{
	h->gone = gone;
	h->opaque = opaque;
}

static bool before(const struct heap_entry *a, const struct heap_entry *b)
{
	if (a->candidate.rare != b->candidate.rare)
		return b->candidate.rare;
	return a->order != b->order ? a->order > b->order : a->late < b->late;
}

static void swap(struct heap_entry *a, struct heap_entry *b)
{
	struct heap_entry t = *a;
	*a = *b;
	*b = t;
}

void heap_add(void *own, const struct candidate *f)
{
	struct heap *h = own;
	vec_room(h->v, h->n + 1, h->max);
	h->v[h->n] = (struct heap_entry){.order = h->order(h, f), .late = h->count++, .candidate = *f};
	for (size_t i = h->n++; i && before(&h->v[i], &h->v[(i - 1) / 2]); i = (i - 1) / 2)
		swap(&h->v[i], &h->v[(i - 1) / 2]);
}

// Puts the first one where it belongs.
static void sink(struct heap *h)
{
	for (size_t i = 0;;) {
		size_t best = i;
		for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < h->n; child++)
			if (before(&h->v[child], &h->v[best]))
				best = child;
		if (best == i)
			return;
		swap(&h->v[i], &h->v[best]);
		i = best;
	}
}

// What was worth more when it came is worth less now.
static void refresh(struct heap *h)
{
	while (h->falls && h->n) {
		uint64_t order = h->order(h, &h->v[0].candidate);
		if (order >= h->v[0].order)
			return;
		h->v[0].order = order;
		sink(h);
	}
}

// Of the run of `input`; 0: of any.
static bool next(struct heap *h, int64_t input, struct candidate *ret)
{
	refresh(h);
	if (!h->n || (input && h->v[0].candidate.input != input))
		return false;
	assert(h->n <= h->max);
	*ret = h->v[0].candidate;
	h->v[0] = h->v[--h->n];
	sink(h);
	return true;
}

uint32_t heap_choose(void *own, unsigned slot, struct candidate *ret, uint32_t most, bool *ret_first)
{
	(void)slot;
	struct heap *h = own;
	struct candidate f;
	uint32_t n = 0;
	*ret_first = false;
	while (n < most && next(h, n ? ret[0].input : 0, &f)) {
		if (h->chose)
			h->chose(h, &f);
		if (!h->setup->tree || tree_get(h->setup->tree, f.alternative.key) == TREE_PENDING)
			ret[n++] = f;
		else if (h->gone)
			h->gone(h->opaque, f.alternative.key);
	}
	return n;
}

size_t heap_waiting(const void *own)
{
	return ((const struct heap *)own)->n;
}
