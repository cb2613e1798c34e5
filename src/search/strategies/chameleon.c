// Chameleon: a pool of parametric heuristics, each of which has search episodes; the next pool is learned from what all
// of them covered (Algorithm 3 of the paper in docs/SEARCH.md; learn.h has its parts).
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "search/learn.h"
#include "search/strategies/episodes.h"

// ROUNDS_MIN: a generation never has more than that part of what is left. RUNS_EACH: of an episode, for each heuristic.
enum { POOL = 100, POOL_MIN = 8, OFFSPRING = 10, ROUNDS_MIN = 4, RUNS_EACH = 15 };
static const double TOP = 0.03, EXPLOIT = 0.8;

struct member {
	double weights[FEATURES];
	uint32_t parent;
	uint8_t *covered; // when it is done
};

struct chameleon {
	struct knowledge known;
	struct member *pool; // room for the largest
	uint32_t n, runs;    // heuristics of this generation, runs of each
	uint32_t started, done, generations, offspring;
	uint32_t *reached, max_reached; // what all had covered, after each generation
	double top, exploit;
	bool sample;
	double best[FEATURES]; // of all that were done
	uint32_t most;
};

// --- generations ---------------------------------------------------------------------------------

static void sample_all(struct chameleon *c, uint32_t from)
{
	for (uint32_t i = from; i < c->n; i++) {
		knowledge_sample(&c->known, c->pool[i].weights);
		c->pool[i].parent = LEARN_ORPHAN;
	}
}

static void swap(struct member *a, struct member *b)
{
	struct member t = *a;
	*a = *b;
	*b = t;
}

// Offspring of the best, then others at random.
static void switch_pool(struct chameleon *c)
{
	struct knowledge *k = &c->known;
	uint32_t want = (uint32_t)(c->top * k->n), best[LEARN_TOP_MIN + 1024], worst[LEARN_TOP_MIN + 1024];
	want = want < LEARN_TOP_MIN ? LEARN_TOP_MIN : want > 1024 ? 1024 : want;
	uint32_t most = k->n / 8 > 2 ? k->n / 8 : 2; // of few, the best eight would be nothing special
	want = want > most ? most : want;
	uint32_t n_best = knowledge_select(k, true, want, best), n_worst = knowledge_select(k, false, want, worst);
	uint32_t exploit = (uint32_t)(c->exploit * c->n + 0.5), all = n_best * c->offspring;
	struct member *young = mem_zero((all + 1) * sizeof *young);
	for (uint32_t i = 0; i < all; i++) {
		uint32_t parent = best[i / c->offspring];
		young[i].parent = k->v[parent].id;
		knowledge_offspring(k, parent, best, n_best, worst, n_worst, young[i].weights);
	}
	for (uint32_t i = 0; i < exploit && i < all; i++) { // any of them, each once
		swap(&young[i], &young[i + (uint32_t)(knowledge_uniform(k) * (all - i))]);
		c->pool[i] = young[i];
	}
	sample_all(c, exploit < all ? exploit : all);
	mem_free(young);
}

// What a generation has of the budget is shared between heuristics and runs of each, in a fixed proportion: neither
// many episodes that are too short to lead anywhere, nor a few of which nothing can be learned. How fast episodes are
// is known after the first generation.
static void size_up(struct episodes *ws)
{
	struct chameleon *c = ws->own;
	const struct tuning *t = &ws->setup->tuning;
	uint32_t ahead = c->generations < EPISODES_ROUNDS ? EPISODES_ROUNDS - c->generations : 0;
	double all = episodes_left(ws) / (ahead > ROUNDS_MIN ? ahead : ROUNDS_MIN);
	double before = c->generations ? (double)episodes_steps(ws) / c->generations : 0;
	all = all < 0 || all > before ? all : before; // in the end it is cut off, and not many small ones
	double n = sqrt(all / RUNS_EACH);
	c->n = all < 0 || n > POOL ? POOL : n < POOL_MIN ? POOL_MIN : (uint32_t)n;
	c->n = t->pool ? t->pool : c->n;
	c->runs = t->runs ? t->runs : episodes_fit(all / c->n);
}

static void next_generation(struct episodes *ws)
{
	struct chameleon *c = ws->own;
	uint32_t first = c->known.n;
	for (uint32_t i = 0; i < c->n; i++) {
		if (c->pool[i].covered)
			knowledge_add(&c->known, c->pool[i].weights, c->pool[i].parent, c->pool[i].covered);
		mem_free(c->pool[i].covered);
		c->pool[i].covered = NULL;
	}
	vec_room(c->reached, c->generations + 1, c->max_reached);
	c->reached[c->generations++] = knowledge_reached(&c->known);
	knowledge_refine(&c->known, first);
	size_up(ws);
	if (c->sample)
		sample_all(c, 0);
	else
		switch_pool(c);
	c->started = c->done = 0;
}

// --- episodes ------------------------------------------------------------------------------------

static bool next(struct episodes *ws, struct episode_plan *ret)
{
	struct chameleon *c = ws->own;
	if (c->started == c->n && c->done < c->n)
		return false; // others are at it
	if (c->started == c->n)
		next_generation(ws);
	*ret = (struct episode_plan){
		.how = &heuristic_param, .weights = c->pool[c->started].weights, .runs = c->runs, .tag = c->started};
	c->started++;
	return true;
}

static void done(struct episodes *ws, uint32_t tag, const struct episode *w)
{
	struct chameleon *c = ws->own;
	c->pool[tag].covered = (uint8_t *)mem_copy(w->covered, c->known.size);
	c->done++;
	if (w->n_covered > c->most) {
		c->most = w->n_covered;
		memcpy(c->best, w->weights, sizeof c->best);
	}
}

static bool best(const void *own, double *ret)
{
	const struct chameleon *c = ((const struct episodes *)own)->own;
	memcpy(ret, c->best, sizeof c->best);
	return c->most > 0;
}

static void report(const void *own, struct buf *out)
{
	const struct episodes *ws = own;
	const struct chameleon *c = ws->own;
	buf_printf(out, "%u generations, the last of %u heuristics with %u runs each; ", c->generations + 1, c->n,
	           c->runs);
	episodes_report(own, out);
	for (uint32_t i = 0; i < c->generations; i++)
		buf_printf(out, i ? ", %u" : "; branch edges after each generation: %u", c->reached[i]);
}

static void free_all(void *own)
{
	struct chameleon *c = ((struct episodes *)own)->own;
	for (uint32_t i = 0; i < c->n; i++)
		mem_free(c->pool[i].covered);
	mem_free(c->pool);
	mem_free(c->reached);
	knowledge_release(&c->known);
	episodes_free(own);
}

static void *new(const struct strategy_setup *setup, struct paths *paths)
{
	static const struct episodes_class class = {.next = next, .done = done};
	const struct tuning *t = &setup->tuning;
	struct episodes *ws = episodes_new(setup, paths, &class);
	struct chameleon *c = mem_zero(sizeof *c);
	ws->own = c;
	size_up(ws);
	c->pool = mem_zero((t->pool ? t->pool : POOL) * sizeof *c->pool);
	c->known.random = setup->random ^ 0x6368616d656c656f;
	c->known.size = paths->set_size;
	c->offspring = t->offspring ? t->offspring : OFFSPRING;
	c->top = t->top > 0 ? t->top : TOP;
	c->exploit = t->exploit >= 0 ? t->exploit : EXPLOIT;
	c->sample = t->sample;
	sample_all(c, 0);
	return ws;
}

const struct strategy_class strategy_chameleon = {.episodes = true,
                                                  .mixes = true,
                                                  .release = free_all,
                                                  .choose = episodes_choose,
                                                  .seed = episodes_seed,
                                                  .answer = episodes_answer,
                                                  .answered = episodes_answered,
                                                  .lost = episodes_lost,
                                                  .hold = episodes_hold,
                                                  .busy = episodes_busy,
                                                  .new = new,
                                                  .weights = best,
                                                  .report = report};
