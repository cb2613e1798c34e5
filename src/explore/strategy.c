#include "explore/strategy.h"

#include <string.h>

#include "base/mem.h"
#include "explore/paths.h"
#include "explore/wire.h"

#define STRATEGY(name, word, what) extern const struct strategy_class strategy_##name;
#include "explore/strategies.def"
#undef STRATEGY

static const struct strategy_class *const classes[] = {
#define STRATEGY(name, word, what) &strategy_##name,
#include "explore/strategies.def"
#undef STRATEGY
};

// Walks are about branches. Checks, and ways of which there are very many, wait in an order of their own; every so
// often it is their turn.
enum { NODES_MAX = 1 << 23, CHECKS_EVERY = 4 };

struct strategy {
	const struct strategy_class *class;
	const struct strategy_setup *setup;
	void *own;
	struct paths *paths; // of one that walks
	void *checks;        // likewise
	uint32_t *jobs;      // of each slot
	bool *at_checks;     // what it was given last
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

bool strategy_walks(enum strategy_kind kind)
{
	return classes[kind]->walks;
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

struct strategy *strategy_new(enum strategy_kind kind, const struct strategy_setup *setup)
{
	struct strategy *s = mem_zero(sizeof *s);
	s->class = classes[kind];
	s->setup = setup;
	if (s->class->walks) {
		s->paths = mem_zero(sizeof *s->paths);
		paths_init(s->paths, setup->graph, setup->tree, NODES_MAX);
		s->checks = strategy_generational.new(setup, NULL);
		s->jobs = mem_zero((setup->slots + 1) * sizeof *s->jobs);
		s->at_checks = mem_zero(setup->slots + 1);
	}
	s->own = s->class->new(setup, s->paths);
	return s;
}

void strategy_free(struct strategy *s)
{
	if (!s)
		return;
	s->class->release(s->own);
	if (s->paths) {
		paths_release(s->paths);
		strategy_generational.release(s->checks);
	}
	mem_free(s->paths);
	mem_free(s->jobs);
	mem_free(s->at_checks);
	mem_free(s);
}

void strategy_seed(struct strategy *s, int64_t input)
{
	if (s->class->walks)
		s->class->seed(s->own, input);
}

void strategy_add(struct strategy *s, const struct flip *f)
{
	if (s->class->add)
		s->class->add(s->own, f);
	if (s->class->walks && (f->turn.op == TURN_VIOLATE || f->rare))
		strategy_generational.add(s->checks, f);
}

void strategy_ran(struct strategy *s, int64_t input, const struct result *r)
{
	if (s->class->walks)
		paths_add(s->paths, input, r);
}

static uint32_t choose_checks(struct strategy *s, unsigned slot, struct flip *ret, uint32_t most, bool *ret_first)
{
	uint32_t n = strategy_generational.choose(s->checks, slot, ret, most, ret_first);
	s->at_checks[slot] = n > 0;
	return n;
}

uint32_t strategy_choose(struct strategy *s, unsigned slot, bool alone, struct flip *ret, uint32_t most,
                         bool *ret_first)
{
	*ret_first = false;
	if (!s->class->walks)
		return s->class->choose(s->own, slot, ret, most, ret_first);
	if (alone)
		s->class->lost(s->own, 0);
	uint32_t n = s->jobs[slot]++ % CHECKS_EVERY ? 0 : choose_checks(s, slot, ret, most, ret_first);
	s->at_checks[slot] = n > 0;
	if (!n)
		n = s->class->choose(s->own, slot, ret, most, ret_first);
	return n ? n : choose_checks(s, slot, ret, most, ret_first);
}

void strategy_answer(struct strategy *s, unsigned slot, uint32_t i, uint64_t key, int64_t input)
{
	if (!s->class->walks)
		return;
	if (input)
		paths_answer(s->paths, key, input);
	if (!s->at_checks[slot])
		s->class->answer(s->own, slot, i, input);
}

void strategy_answered(struct strategy *s, unsigned slot)
{
	if (s->class->walks && !s->at_checks[slot])
		s->class->answered(s->own, slot);
}

void strategy_lost(struct strategy *s, int64_t input)
{
	if (s->class->walks && input)
		s->class->lost(s->own, input);
}

size_t strategy_waiting(const struct strategy *s)
{
	if (!s->class->walks)
		return s->class->waiting(s->own);
	return s->setup->tree->count[TREE_ASKED];
}

struct paths *strategy_paths(struct strategy *s)
{
	return s->paths;
}

bool strategy_weights(const struct strategy *s, double *ret)
{
	return s->class->weights && s->class->weights(s->own, ret);
}

void strategy_tell(const struct strategy *s, struct buf *out)
{
	if (s->class->tell)
		s->class->tell(s->own, out);
}
