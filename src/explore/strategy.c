#include "explore/strategy.h"

#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "explore/origins.h"
#include "explore/paths.h"
#include "explore/share.h"
#include "explore/strategies/heap.h"
#include "explore/wire.h"

#define STRATEGY(name, word, what) extern const struct strategy_class strategy_##name;
#include "explore/strategies.def"
#undef STRATEGY

static const struct strategy_class *const classes[] = {
#define STRATEGY(name, word, what) &strategy_##name,
#include "explore/strategies.def"
#undef STRATEGY
};

// Walks are about branches. Checks, and ways of which there are very many, wait in the order of `generational` beside
// them; every so often it is their turn. When a strategy mixes, other ways wait there, too, and each of the two has its
// share of the work.
enum { NODES_MAX = 1 << 24, NODES_FIXED = 1 << 22, NODE_SIZE = 120, MEMORY_PART = 8, CHECKS_EVERY = 4 };
// Work is time, where clocks count, in units of about a run; else runs, and a part of one for each question.
static const double UNIT_US = 5000, QUESTION = 1.0 / 16;

struct strategy {
	const struct strategy_class *class;
	const struct strategy_setup *setup;
	void *own;
	struct paths *paths; // of one that walks
	void *frontier;      // likewise: what waits beside it
	uint32_t *jobs;      // of each slot
	bool *at_frontier;   // what it was given last
	bool mixes;
	struct share share;
	struct origins origins;
};

static const char *const words[] = {
#define STRATEGY(name, word, what) word,
#include "explore/strategies.def"
#undef STRATEGY
};

bool strategy_find(const char *word, enum strategy_kind *ret)
{
	for (int i = 0; i < STRATEGIES; i++)
		if (strcmp(word, words[i]) == 0) {
			*ret = (enum strategy_kind)i;
			return true;
		}
	return false;
}

bool strategy_has_episodes(enum strategy_kind kind)
{
	return classes[kind]->episodes;
}

const char *strategy_words(void)
{
	static const char all[] =
#define STRATEGY(name, word, what) ", " word
#include "explore/strategies.def"
#undef STRATEGY
		;
	return all + 2;
}

// Paths may take a part of the machine's memory; where everything has to be the same every time, as much anywhere.
static uint32_t nodes_max(const struct strategy_setup *setup)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	if (!setup->elapsed || pages <= 0 || size <= 0)
		return NODES_FIXED;
	uint64_t n = (uint64_t)pages * (uint64_t)size / MEMORY_PART / NODE_SIZE;
	return n < NODES_MAX ? (uint32_t)n : NODES_MAX;
}

// The search beside walks came to a way to which walks got first: their run becomes one of its own, and what is near it
// waits with all others.
static void take_over(void *opaque, uint64_t key)
{
	struct strategy *s = opaque;
	int64_t input = paths_input(s->paths, key);
	if (input && origins_who(&s->origins, input) == ORIGIN_EPISODES)
		origins_open(&s->origins, input, strategy_generational.add, s->frontier);
}

struct strategy *strategy_new(enum strategy_kind kind, const struct strategy_setup *setup)
{
	struct strategy *s = mem_zero(sizeof *s);
	s->class = classes[kind];
	s->setup = setup;
	if (s->class->episodes) {
		s->paths = mem_zero(sizeof *s->paths);
		paths_init(s->paths, setup->graph, setup->tree, nodes_max(setup));
		s->frontier = strategy_generational.new(setup, NULL);
		s->jobs = mem_zero((setup->slots + 1) * sizeof *s->jobs);
		s->at_frontier = mem_zero(setup->slots + 1);
		s->mixes = s->class->mixes && setup->tuning.frontier != 0;
		if (s->mixes)
			heap_report_gone(s->frontier, take_over, s); // generational is a heap
		share_init(&s->share, setup->tuning.frontier < 0 ? -1 : 1 - setup->tuning.frontier);
	}
	s->own = s->class->new (setup, s->paths);
	return s;
}

void strategy_free(struct strategy *s)
{
	if (!s)
		return;
	s->class->release(s->own);
	if (s->paths) {
		paths_release(s->paths);
		strategy_generational.release(s->frontier);
	}
	mem_free(s->paths);
	mem_free(s->jobs);
	mem_free(s->at_frontier);
	origins_release(&s->origins);
	mem_free(s);
}

void strategy_seed(struct strategy *s, int64_t input)
{
	if (s->class->episodes)
		s->class->seed(s->own, input);
}

// Off a walk's run that covered nothing: there are many like it, and often long ones. Such ways are kept aside.
static bool has_no_new_coverage(const struct strategy *s, const struct candidate *f)
{
	return !f->covered && origins_who(&s->origins, f->input) == ORIGIN_EPISODES && !paths_full(s->paths);
}

void strategy_add(struct strategy *s, const struct candidate *f)
{
	if (s->class->add)
		s->class->add(s->own, f);
	if (!s->class->episodes)
		return;
	if (f->alternative.op == ALTERNATIVE_VIOLATE || f->rare)
		strategy_generational.add(s->frontier, f);
	else if (s->mixes && !(has_no_new_coverage(s, f) && origins_defer(&s->origins, f)))
		strategy_generational.add(s->frontier, f);
}

// --- beside each other ----------------------------------------------------------------------------

static double work(const struct strategy *s, const struct result *r, double otherwise)
{
	return s->setup->elapsed ? (double)(r->us_run + r->us_read + r->us_solve) / UNIT_US : otherwise;
}

// The run was the work of one of them, and what it covered is its merit.
static void account(struct strategy *s, int64_t input, const struct result *r, uint32_t covered)
{
	enum origin from = origins_who(&s->origins, input);
	if (from == ORIGIN_NOBODY)
		return;
	unsigned who = from == ORIGIN_EPISODES ? SHARE_EPISODES : SHARE_FRONTIER;
	share_gain(&s->share, who, covered);
	share_spend(&s->share, who, work(s, r, 1));
}

void strategy_ran(struct strategy *s, int64_t input, const struct result *r, uint32_t covered)
{
	if (!s->class->episodes)
		return;
	paths_add(s->paths, input, r);
	if (s->mixes && paths_full(s->paths)) // there was no room for it among the paths, perhaps
		origins_open(&s->origins, input, strategy_generational.add, s->frontier);
	if (s->mixes)
		account(s, input, r, covered);
}

// What another slot is being asked for waits on.
static uint32_t leave_busy(struct strategy *s, struct candidate *v, uint32_t n)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < n; i++)
		if (s->class->busy(s->own, v[i].alternative.key))
			strategy_generational.add(s->frontier, &v[i]);
		else
			v[kept++] = v[i];
	return kept;
}

static uint32_t choose_frontier(struct strategy *s, unsigned slot, struct candidate *ret, uint32_t most,
                                bool *ret_first)
{
	uint32_t n = strategy_generational.choose(s->frontier, slot, ret, most, ret_first);
	n = leave_busy(s, ret, n);
	s->at_frontier[slot] = n > 0;
	s->class->hold(s->own, slot, ret, n);
	return n;
}

// When no more paths are kept, walks do not see where they are.
static bool is_frontier_next(struct strategy *s, unsigned slot)
{
	if (!s->mixes)
		return s->jobs[slot]++ % CHECKS_EVERY == 0;
	return paths_full(s->paths) || share_next(&s->share) == SHARE_FRONTIER;
}

uint32_t strategy_choose(struct strategy *s, unsigned slot, bool alone, struct candidate *ret, uint32_t most,
                         bool *ret_first)
{
	*ret_first = false;
	if (!s->class->episodes)
		return s->class->choose(s->own, slot, ret, most, ret_first);
	if (alone)
		s->class->lost(s->own, 0);
	uint32_t n = is_frontier_next(s, slot) ? choose_frontier(s, slot, ret, most, ret_first) : 0;
	s->at_frontier[slot] = n > 0;
	if (!n)
		n = s->class->choose(s->own, slot, ret, most, ret_first);
	return n ? n : choose_frontier(s, slot, ret, most, ret_first);
}

void strategy_answer(struct strategy *s, unsigned slot, uint32_t i, uint64_t key, int64_t input)
{
	if (!s->class->episodes)
		return;
	if (input)
		paths_answer(s->paths, key, input);
	if (input && s->mixes)
		origins_note(&s->origins, input, s->at_frontier[slot] ? ORIGIN_FRONTIER : ORIGIN_EPISODES);
	if (!s->at_frontier[slot])
		s->class->answer(s->own, slot, i, input);
	else if (s->mixes)
		take_over(s, key); // walks may have got there while it was asked for
}

void strategy_answered(struct strategy *s, unsigned slot, const struct result *r)
{
	if (!s->class->episodes)
		return;
	if (s->mixes && r)
		share_spend(&s->share, s->at_frontier[slot] ? SHARE_FRONTIER : SHARE_EPISODES,
		            work(s, r, QUESTION * r->n_answers));
	s->class->answered(s->own, slot);
}

void strategy_lost(struct strategy *s, int64_t input)
{
	if (s->class->episodes && input)
		s->class->lost(s->own, input);
}

size_t strategy_waiting(const struct strategy *s)
{
	if (!s->class->episodes)
		return s->class->waiting(s->own);
	return s->setup->tree->count[TREE_PENDING];
}

struct paths *strategy_paths(struct strategy *s)
{
	return s->paths;
}

bool strategy_weights(const struct strategy *s, double *ret)
{
	return s->class->weights && s->class->weights(s->own, ret);
}

void strategy_report(const struct strategy *s, struct buf *out)
{
	if (s->class->tell)
		s->class->tell(s->own, out);
	if (s->mixes)
		buf_printf(out, "; work of walks %.0f, which led to %.0f, beside them %.0f, %.0f",
		           s->share.all[SHARE_EPISODES], s->share.found[SHARE_EPISODES], s->share.all[SHARE_FRONTIER],
		           s->share.found[SHARE_FRONTIER]);
}
