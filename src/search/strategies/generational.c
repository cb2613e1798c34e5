// Branch edges that no run took, then those that were tried least.
#include "base/mem.h"
#include "search/strategies/heap.h"

MAP_FUNCTIONS(tallies, struct tallies, uint64_t, .name, .name, map_hash_number, map_same_number)

static void count(struct heap *h, uint64_t name)
{
	tallies_put(&h->tallies, name ? name : 1)->n++;
}

static uint32_t counted(const struct heap *h, uint64_t name)
{
	const struct tally *t = tallies_get(&h->tallies, name ? name : 1);
	return t ? t->n : 0;
}

// Doublings: 0, 1, 2 or 3, 4 to 7 ...
static uint64_t magnitude(uint32_t n)
{
	return n ? 32u - (unsigned)__builtin_clz(n) : 0;
}

// Branch edges that were chosen less often come first, so that no loop and no switch, of which each run has more
// decisions than of anything else, takes all the time. An edge that no run took is worth UNSEEN halves of a doubling;
// it is tried off many paths, but not for ever. A third of the order is the pair of the edge and the edge before it:
// the same branch means something else in another context. Another third is the edge on paths that took something rare:
// so everything is tried together with each of two options, two commands or two kinds of lines, which is where code is
// that no single decision leads to. Among candidates of the same order come those first whose runs covered most, and
// then all candidates off the same run together: that run is repeated once for them. The order of runs is random: the
// older first would be breadth first. On a run that takes twice as long, beyond QUICK milliseconds, a candidate is
// worth a doubling less: runs off it take as long.
enum { UNSEEN = 14, QUICK = 8, WORTH_MAX = 96 };

static uint64_t order(struct heap *h, const struct candidate *f)
{
	bool unseen =
		f->alternative.op != ALTERNATIVE_OTHER && tree_get(h->setup->edges, f->alternative.edge) == TREE_NEW;
	bool one_of_many = f->alternative.op == ALTERNATIVE_CASE || f->alternative.op == ALTERNATIVE_DEFAULT;
	uint32_t n = counted(h, !unseen && one_of_many ? f->alternative.site : f->alternative.edge);
	uint64_t tried = magnitude(n) + magnitude(counted(h, f->alternative.context)) +
	                 magnitude(counted(h, f->alternative.pair));
	uint64_t worth = WORTH_MAX - (tried + (unseen ? 0 : UNSEEN) + 1) / 2 - magnitude(f->milliseconds / QUICK);
	return worth << 57 | (uint64_t)(f->alternative.op == ALTERNATIVE_VIOLATE) << 56 | magnitude(f->covered) << 48 |
	       (random_scatter((uint64_t)f->input + 1) & 0xffffffffffff);
}

static void chose(struct heap *h, const struct candidate *f)
{
	count(h, f->alternative.edge);
	count(h, f->alternative.site);
	count(h, f->alternative.context);
	count(h, f->alternative.pair);
}

static void *new(const struct strategy_setup *setup, struct paths *paths)
{
	(void)paths;
	struct heap *h = heap_new(setup, order);
	h->falls = true;
	h->chose = chose;
	return h;
}

HEAP_CLASS(generational);
