// Parametric search: the branch with the largest sum of the weights of its features. The weights come from a file, or
// are looked for, offline: a round tries many at random and the best of them again, then leaves out the half of each
// weight's range on which those do not agree.
#include <string.h>

#include "base/mem.h"
#include "search/learn.h"
#include "search/strategies/episodes.h"

static double score(void *own, struct episode *w, uint32_t place, uint32_t alternative)
{
	(void)own;
	return features_score(features_of(w, place, alternative), w->weights);
}

static void choose(void *own, struct episode *w)
{
	features_begin(w);
	episode_rank(w, score, own);
}

const struct heuristic heuristic_param = {.word = "param", .choose = choose};

// --- looking for weights -------------------------------------------------------------------------

enum { TRIED = 40, AGAIN = 5, TIMES = 2 }; // in a round: at random; the best of them, each so often

struct trial {
	double weights[FEATURES];
	double sum; // of covered branch edges
	uint32_t episodes;
};

struct learning {
	struct knowledge chance; // only for its random numbers
	double low[FEATURES], high[FEATURES];
	struct trial v[TRIED];
	uint32_t started, done, found; // episodes of this round; found: trials, when the best are tried again
	double best[FEATURES], best_mean;
};

static double mean(const struct trial *c)
{
	return c->episodes ? c->sum / c->episodes : 0;
}

// The best to the front.
static void sort(struct trial *v, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		for (uint32_t k = i; k && mean(&v[k]) > mean(&v[k - 1]); k--) {
			struct trial t = v[k];
			v[k] = v[k - 1];
			v[k - 1] = t;
		}
}

static void begin_round(struct learning *l)
{
	for (uint32_t i = 0; i < TRIED; i++) {
		l->v[i] = (struct trial){0};
		for (int k = 0; k < FEATURES; k++)
			l->v[i].weights[k] = l->low[k] + (l->high[k] - l->low[k]) * knowledge_uniform(&l->chance);
	}
	l->started = l->done = 0;
}

// Where the best two agree on the sign of a weight, the next round has no other.
static void end_round(struct learning *l)
{
	sort(l->v, AGAIN);
	if (mean(&l->v[0]) > l->best_mean) {
		l->best_mean = mean(&l->v[0]);
		memcpy(l->best, l->v[0].weights, sizeof l->best);
	}
	for (int k = 0; k < FEATURES; k++) {
		double a = l->v[0].weights[k], b = l->v[1].weights[k];
		if (a > 0 && b > 0)
			l->low[k] = (a < b ? a : b) / 2;
		if (a < 0 && b < 0)
			l->high[k] = (a > b ? a : b) / 2;
	}
	begin_round(l);
}

static bool next(struct episodes *ws, struct episode_plan *ret)
{
	struct learning *l = ws->own;
	const uint32_t all = TRIED + AGAIN * TIMES;
	if (l->started == TRIED && l->done < TRIED)
		return false; // until all were tried once
	if (l->started == TRIED)
		sort(l->v, TRIED);
	if (l->started == all && l->done < all)
		return false;
	if (l->started == all)
		end_round(l);
	uint32_t which = l->started < TRIED ? l->started : (l->started - TRIED) % AGAIN;
	l->started++;
	*ret = (struct episode_plan){.how = &heuristic_param, .weights = l->v[which].weights, .tag = which};
	return true;
}

static void done(struct episodes *ws, uint32_t tag, const struct episode *w)
{
	struct learning *l = ws->own;
	l->v[tag].sum += w->n_covered;
	l->v[tag].episodes++;
	l->done++;
	if (l->v[tag].episodes == 1 && w->n_covered > l->best_mean) { // until it is known how it does again
		l->best_mean = w->n_covered;
		memcpy(l->best, l->v[tag].weights, sizeof l->best);
	}
}

static bool best(const void *own, double *ret)
{
	const struct episodes *ws = own;
	const struct learning *l = ws->own;
	if (!l || l->best_mean <= 0)
		return false;
	memcpy(ret, l->best, sizeof l->best);
	return true;
}

static void *new(const struct strategy_setup *setup, struct paths *paths)
{
	static const struct episodes_class class = {.next = next, .done = done, .pool = TRIED + AGAIN * TIMES};
	if (!setup->tuning.learn)
		return episodes_new_one(setup, paths, &heuristic_param);
	struct episodes *ws = episodes_new(setup, paths, &class);
	struct learning *l = mem_zero(sizeof *l);
	l->chance.random = setup->random;
	for (int k = 0; k < FEATURES; k++) {
		l->low[k] = -LEARN_RANGE;
		l->high[k] = LEARN_RANGE;
	}
	begin_round(l);
	ws->own = l;
	return ws;
}

const struct strategy_class strategy_param = {EPISODES_PARTS, .new = new, .weights = best, .report = episodes_report};
