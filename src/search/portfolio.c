#include "search/portfolio.h"

#include <assert.h>
#include <unistd.h>

#include "base/mem.h"
#include "search/origins.h"
#include "search/paths.h"
#include "search/share.h"
#include "search/strategies/heap.h"
#include "worker/wire.h"

extern const struct strategy_class strategy_generational;

enum { NODES_MAX = 1 << 24, NODES_FIXED = 1 << 22, NODE_SIZE = 120, MEMORY_PART = 8 };
enum { CHECKS_EVERY = 4 }; // jobs of a slot, when the class does not mix
// Work is time in units of about a run, where clocks count; otherwise runs, and a part of one for each query.
static const double UNIT_US = 5000, QUERY = 1.0 / 16;

struct portfolio {
	const struct strategy_class *class; // of the episodes
	const struct strategy_setup *setup;
	void *own; // of the class
	struct paths *paths;
	void *frontier;    // of `generational`
	uint32_t *jobs;    // of each slot
	bool *at_frontier; // the slot's candidates are the frontier search's
	bool mixes;
	struct share share;
	struct origins origins;
};

// Paths may take a part of the machine's memory; a fixed size where every session has to be the same.
static uint32_t nodes_max(const struct strategy_setup *setup)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	if (!setup->elapsed || pages <= 0 || size <= 0)
		return NODES_FIXED;
	uint64_t n = (uint64_t)pages * (uint64_t)size / MEMORY_PART / NODE_SIZE;
	return n < NODES_MAX ? (uint32_t)n : NODES_MAX;
}

// The frontier search met a candidate that an episode had solved first: the episode's run becomes one of its own, with
// the candidates off it.
static void take_over(void *opaque, uint64_t key)
{
	struct portfolio *s = opaque;
	int64_t input = paths_input(s->paths, key);
	if (input && origins_who(&s->origins, input) == ORIGIN_EPISODES)
		origins_open(&s->origins, input, strategy_generational.add, s->frontier);
}

struct portfolio *portfolio_new(const struct strategy_class *episodes, const struct strategy_setup *setup)
{
	assert(episodes->episodes && setup->graph && setup->tree);
	struct portfolio *s = mem_zero(sizeof *s);
	s->class = episodes;
	s->setup = setup;
	s->paths = mem_zero(sizeof *s->paths);
	paths_init(s->paths, setup->graph, setup->tree, nodes_max(setup));
	s->frontier = strategy_generational.new(setup, NULL);
	s->jobs = mem_zero((setup->slots + 1) * sizeof *s->jobs);
	s->at_frontier = mem_zero(setup->slots + 1);
	s->mixes = s->class->mixes && setup->tuning.frontier != 0;
	if (s->mixes)
		heap_report_gone(s->frontier, take_over, s); // generational is a heap
	share_init(&s->share, setup->tuning.frontier < 0 ? -1 : 1 - setup->tuning.frontier);
	s->own = s->class->new(setup, s->paths);
	return s;
}

void portfolio_free(struct portfolio *s)
{
	s->class->release(s->own);
	paths_release(s->paths);
	strategy_generational.release(s->frontier);
	mem_free(s->paths);
	mem_free(s->jobs);
	mem_free(s->at_frontier);
	origins_release(&s->origins);
	mem_free(s);
}

void portfolio_seed(struct portfolio *s, int64_t input)
{
	s->class->seed(s->own, input);
}

// Episodes make many runs without new coverage, and often long ones: candidates off these are deferred.
static bool is_deferred(struct portfolio *s, const struct candidate *f)
{
	return !f->covered && origins_who(&s->origins, f->input) == ORIGIN_EPISODES && !paths_full(s->paths) &&
	       origins_defer(&s->origins, f);
}

void portfolio_add(struct portfolio *s, const struct candidate *f)
{
	assert(!s->class->add); // episodes take candidates from the paths
	bool of_frontier = f->alternative.op == ALTERNATIVE_VIOLATE || f->rare;
	if (of_frontier || (s->mixes && !is_deferred(s, f)))
		strategy_generational.add(s->frontier, f);
}

// --- shares --------------------------------------------------------------------------------------

static double work(const struct portfolio *s, const struct result *r, double otherwise)
{
	return s->setup->elapsed ? (double)(r->us_run + r->us_read + r->us_solve) / UNIT_US : otherwise;
}

// The run was the work of the search that solved its input, and what it covered is that search's gain.
static void account(struct portfolio *s, int64_t input, const struct result *r, uint32_t covered)
{
	enum origin from = origins_who(&s->origins, input);
	if (from == ORIGIN_NOBODY)
		return;
	unsigned who = from == ORIGIN_EPISODES ? SHARE_EPISODES : SHARE_FRONTIER;
	share_gain(&s->share, who, covered);
	share_spend(&s->share, who, work(s, r, 1));
}

void portfolio_ran(struct portfolio *s, int64_t input, const struct result *r, uint32_t covered)
{
	paths_add(s->paths, input, r);
	if (s->mixes && paths_full(s->paths)) // there may have been no room for it among the paths
		origins_open(&s->origins, input, strategy_generational.add, s->frontier);
	if (s->mixes)
		account(s, input, r, covered);
}

// --- choosing ------------------------------------------------------------------------------------

// Candidates that another slot is solving stay in the frontier.
static uint32_t leave_busy(struct portfolio *s, struct candidate *v, uint32_t n)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < n; i++)
		if (s->class->busy(s->own, v[i].alternative.key))
			strategy_generational.add(s->frontier, &v[i]);
		else
			v[kept++] = v[i];
	return kept;
}

static uint32_t choose_frontier(struct portfolio *s, unsigned slot, struct candidate *ret, uint32_t most,
                                bool *ret_first)
{
	assert(slot < s->setup->slots);
	uint32_t n = strategy_generational.choose(s->frontier, slot, ret, most, ret_first);
	n = leave_busy(s, ret, n);
	s->at_frontier[slot] = n > 0;
	s->class->hold(s->own, slot, ret, n);
	return n;
}

// When there is no room for more paths, episodes do not see where they are.
static bool is_frontier_next(struct portfolio *s, unsigned slot)
{
	if (!s->mixes)
		return s->jobs[slot]++ % CHECKS_EVERY == 0;
	return paths_full(s->paths) || share_next(&s->share) == SHARE_FRONTIER;
}

uint32_t portfolio_choose(struct portfolio *s, unsigned slot, bool alone, struct candidate *ret, uint32_t most,
                          bool *ret_first)
{
	if (alone) // no run that an episode waits for will come
		s->class->lost(s->own, 0);
	uint32_t n = is_frontier_next(s, slot) ? choose_frontier(s, slot, ret, most, ret_first) : 0;
	s->at_frontier[slot] = n > 0;
	if (!n)
		n = s->class->choose(s->own, slot, ret, most, ret_first);
	return n ? n : choose_frontier(s, slot, ret, most, ret_first);
}

void portfolio_answer(struct portfolio *s, unsigned slot, uint32_t i, uint64_t key, int64_t input)
{
	if (input)
		paths_answer(s->paths, key, input);
	if (input && s->mixes)
		origins_note(&s->origins, input, s->at_frontier[slot] ? ORIGIN_FRONTIER : ORIGIN_EPISODES);
	if (!s->at_frontier[slot])
		s->class->answer(s->own, slot, i, input);
	else if (s->mixes)
		take_over(s, key); // an episode may have solved it meanwhile
}

void portfolio_answered(struct portfolio *s, unsigned slot, const struct result *r)
{
	if (s->mixes && r)
		share_spend(&s->share, s->at_frontier[slot] ? SHARE_FRONTIER : SHARE_EPISODES,
		            work(s, r, QUERY * r->n_answers));
	s->class->answered(s->own, slot);
}

void portfolio_lost(struct portfolio *s, int64_t input)
{
	s->class->lost(s->own, input);
}

size_t portfolio_waiting(const struct portfolio *s)
{
	return s->setup->tree->count[TREE_PENDING];
}

struct paths *portfolio_paths(struct portfolio *s)
{
	return s->paths;
}

bool portfolio_weights(const struct portfolio *s, double *ret)
{
	return s->class->weights && s->class->weights(s->own, ret);
}

void portfolio_report(const struct portfolio *s, struct buf *out)
{
	if (s->class->report)
		s->class->report(s->own, out);
	if (s->mixes)
		buf_printf(out, "; work of episodes %.0f, which led to %.0f, of the frontier %.0f, %.0f",
		           s->share.all[SHARE_EPISODES], s->share.found[SHARE_EPISODES], s->share.all[SHARE_FRONTIER],
		           s->share.found[SHARE_FRONTIER]);
}
