// The table of strategies, and the calls of the one that a campaign uses.
#include "search/strategy.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "search/portfolio.h"

#define STRATEGY(name, word, what) extern const struct strategy_class strategy_##name;
#include "search/strategies.def"
#undef STRATEGY

static const struct strategy_class *const classes[] = {
#define STRATEGY(name, word, what) &strategy_##name,
#include "search/strategies.def"
#undef STRATEGY
};

static const char *const words[] = {
#define STRATEGY(name, word, what) word,
#include "search/strategies.def"
#undef STRATEGY
};

// A strategy with episodes is part of a portfolio, which has the checks beside it.
struct strategy {
	const struct strategy_class *class;
	void *own;                   // of the class; NULL: the portfolio has it
	struct portfolio *portfolio; // NULL: the class has no episodes
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
#include "search/strategies.def"
#undef STRATEGY
		;
	return all + 2;
}

struct strategy *strategy_new(enum strategy_kind kind, const struct strategy_setup *setup)
{
	assert((unsigned)kind < STRATEGIES);
	struct strategy *s = mem_zero(sizeof *s);
	s->class = classes[kind];
	if (s->class->episodes)
		s->portfolio = portfolio_new(s->class, setup);
	else
		s->own = s->class->new(setup, NULL);
	return s;
}

void strategy_free(struct strategy *s)
{
	if (!s)
		return;
	if (s->portfolio)
		portfolio_free(s->portfolio);
	else
		s->class->release(s->own);
	mem_free(s);
}

void strategy_seed(struct strategy *s, int64_t input)
{
	if (s->portfolio)
		portfolio_seed(s->portfolio, input);
}

void strategy_add(struct strategy *s, const struct candidate *f)
{
	if (s->portfolio)
		portfolio_add(s->portfolio, f);
	else
		s->class->add(s->own, f);
}

void strategy_ran(struct strategy *s, int64_t input, const struct result *r, uint32_t covered)
{
	if (s->portfolio)
		portfolio_ran(s->portfolio, input, r, covered);
}

uint32_t strategy_choose(struct strategy *s, unsigned slot, bool alone, struct candidate *ret, uint32_t most,
                         bool *ret_first)
{
	*ret_first = false;
	uint32_t n = s->portfolio ? portfolio_choose(s->portfolio, slot, alone, ret, most, ret_first)
	                          : s->class->choose(s->own, slot, ret, most, ret_first);
	assert(n <= most);
	for (uint32_t i = 1; i < n; i++)
		assert(ret[i].input == ret[0].input);
	return n;
}

void strategy_answer(struct strategy *s, unsigned slot, uint32_t i, uint64_t key, int64_t input)
{
	if (s->portfolio)
		portfolio_answer(s->portfolio, slot, i, key, input);
}

void strategy_answered(struct strategy *s, unsigned slot, const struct result *r)
{
	if (s->portfolio)
		portfolio_answered(s->portfolio, slot, r);
}

void strategy_lost(struct strategy *s, int64_t input)
{
	if (s->portfolio && input)
		portfolio_lost(s->portfolio, input);
}

size_t strategy_waiting(const struct strategy *s)
{
	return s->portfolio ? portfolio_waiting(s->portfolio) : s->class->waiting(s->own);
}

struct paths *strategy_paths(struct strategy *s)
{
	return s->portfolio ? portfolio_paths(s->portfolio) : NULL;
}

bool strategy_weights(const struct strategy *s, double *ret)
{
	return s->portfolio && portfolio_weights(s->portfolio, ret);
}

void strategy_report(const struct strategy *s, struct buf *out)
{
	if (s->portfolio)
		portfolio_report(s->portfolio, out);
}
