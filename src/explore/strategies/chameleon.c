// Chameleon: a pool of parametric heuristics, each of which walks for a while; the next pool is learned from what all
// of them covered (Algorithm 3 of the paper in docs/SEARCH.md; learn.h has its parts).
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "explore/learn.h"
#include "explore/strategies/walks.h"

enum { POOL = 100, POOL_MIN = 8, OFFSPRING = 10 };
static const double TOP = 0.03, EXPLOIT = 0.8;

struct member {
	double weights[FEATURES];
	uint32_t parent;
	uint8_t *covered; // when it is done
};

struct chameleon {
	struct knowledge known;
	struct member *pool;
	uint32_t n, started, done, generations, offspring;
	uint32_t *reached, max_reached; // what all had covered, after each generation
	double top, exploit;
	bool sample;
	double best[FEATURES]; // of all that were done
	uint32_t most;
};

// --- generations ----------------------------------------------------------------------------------

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
	want = want > k->n / 2 ? k->n / 2 : want; // else the best of a small pool are the worst
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

static void next_generation(struct chameleon *c)
{
	uint32_t first = c->known.n;
	for (uint32_t i = 0; i < c->n; i++) {
		if (c->pool[i].covered)
			knowledge_add(&c->known, c->pool[i].weights, c->pool[i].parent, c->pool[i].covered);
		mem_free(c->pool[i].covered);
		c->pool[i].covered = NULL;
	}
	if (c->generations == c->max_reached) {
		c->max_reached = c->max_reached ? 2 * c->max_reached : 16;
		c->reached = mem_resize(c->reached, c->max_reached * sizeof *c->reached);
	}
	c->reached[c->generations] = knowledge_reached(&c->known);
	knowledge_refine(&c->known, first);
	if (c->sample)
		sample_all(c, 0);
	else
		switch_pool(c);
	c->started = c->done = 0;
	c->generations++;
}

// --- walks ----------------------------------------------------------------------------------------

static bool next(struct walks *ws, struct walk_plan *ret)
{
	struct chameleon *c = ws->own;
	if (c->started == c->n && c->done < c->n)
		return false; // others are at it
	if (c->started == c->n)
		next_generation(c);
	*ret = (struct walk_plan){.how = &heuristic_param, .weights = c->pool[c->started].weights, .tag = c->started};
	c->started++;
	return true;
}

static void done(struct walks *ws, uint32_t tag, const struct walk *w)
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
	const struct chameleon *c = ((const struct walks *)own)->own;
	memcpy(ret, c->best, sizeof c->best);
	return c->most > 0;
}

static void tell(const void *own, struct buf *out)
{
	const struct walks *ws = own;
	const struct chameleon *c = ws->own;
	buf_printf(out, "%u generations of %u heuristics, %u runs each by now; ", c->generations + 1, c->n,
	           walks_runs(ws));
	walks_tell(own, out);
	for (uint32_t i = 0; i < c->generations; i++)
		buf_printf(out, i ? ", %u" : "; sides after each generation: %u", c->reached[i]);
}

// A short budget has a smaller pool. What a generation has of the budget is shared between the pool and the length of
// its walks, which grows faster: short ones only repeat what others did.
static uint32_t pool_size(const struct strategy_setup *s)
{
	double runs = s->runs ? (double)s->runs : s->elapsed ? 20 * s->seconds : 0;
	double n = 1.4 * cbrt(runs / WALKS_ROUNDS);
	if (s->tuning.pool)
		return s->tuning.pool;
	return runs <= 0 || n > POOL || s->tuning.runs ? POOL : n < POOL_MIN ? POOL_MIN : (uint32_t)n;
}

static void free_all(void *own)
{
	struct chameleon *c = ((struct walks *)own)->own;
	for (uint32_t i = 0; i < c->n; i++)
		mem_free(c->pool[i].covered);
	mem_free(c->pool);
	mem_free(c->reached);
	knowledge_release(&c->known);
	walks_free(own);
}

static void *new (const struct strategy_setup *setup, struct paths *paths)
{
	static const struct walks_class class = {.next = next, .done = done};
	const struct tuning *t = &setup->tuning;
	struct walks *ws = walks_new(setup, paths, &class);
	struct chameleon *c = mem_zero(sizeof *c);
	ws->own = c;
	ws->pool = c->n = pool_size(setup);
	c->pool = mem_zero(c->n * sizeof *c->pool);
	c->known.random = setup->random ^ 0x6368616d656c656f;
	c->known.size = paths->set_size;
	c->offspring = t->offspring ? t->offspring : OFFSPRING;
	c->top = t->top > 0 ? t->top : TOP;
	c->exploit = t->exploit >= 0 ? t->exploit : EXPLOIT;
	c->sample = t->sample;
	sample_all(c, 0);
	return ws;
}

const struct strategy_class strategy_chameleon = {.walks = true,
                                                  .mixes = true,
                                                  .release = free_all,
                                                  .choose = walks_choose,
                                                  .seed = walks_seed,
                                                  .answer = walks_answer,
                                                  .answered = walks_answered,
                                                  .lost = walks_lost,
                                                  .hold = walks_hold,
                                                  .busy = walks_busy,
                                                  .new = new,
                                                  .weights = best,
                                                  .tell = tell};
