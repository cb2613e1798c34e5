#include "explore/strategy.h"

#include <string.h>

#include "base/mem.h"

// A heap; `order` is the larger the sooner.
struct entry {
	uint64_t order, late; // late: of the same order, the first comes first
	struct flip flip;
};

struct strategy {
	enum strategy_kind kind;
	struct entry *v;
	size_t n, max;
	uint64_t random, count;
};

static const char *const words[] = {
#define STRATEGY(NAME, word, what) word,
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

const char *strategy_words(void)
{
	static const char all[] =
#define STRATEGY(NAME, word, what) ", " word
#include "explore/strategies.def"
#undef STRATEGY
		;
	return all + 2;
}

// --- orders ---------------------------------------------------------------------------------------

static uint64_t next_random(struct strategy *s)
{
	uint64_t x = s->random += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

// Checks come before ways: a candidate for a bug is worth more than one for coverage.
static uint64_t order_GENERATIONAL(struct strategy *s, const struct flip *f)
{
	(void)s;
	uint64_t covered = f->covered < 0xffff ? f->covered : 0xffff;
	uint64_t shallow = f->depth < 0xffff ? 0xffff - f->depth : 0;
	return (uint64_t)f->unseen << 62 | (uint64_t)(f->turn.op == TURN_VIOLATE) << 61 | covered << 32 | shallow;
}

static uint64_t order_DFS(struct strategy *s, const struct flip *f)
{
	(void)s;
	return f->depth;
}

static uint64_t order_BFS(struct strategy *s, const struct flip *f)
{
	(void)s;
	return UINT32_MAX - f->depth;
}

static uint64_t order_RANDOM(struct strategy *s, const struct flip *f)
{
	(void)f;
	return next_random(s);
}

static uint64_t (*const orders[])(struct strategy *s, const struct flip *f) = {
#define STRATEGY(NAME, word, what) order_##NAME,
#include "explore/strategies.def"
#undef STRATEGY
};

// --- the heap -------------------------------------------------------------------------------------

struct strategy *strategy_new(enum strategy_kind kind, uint64_t random)
{
	struct strategy *s = mem_zero(sizeof *s);
	s->kind = kind;
	s->random = random;
	return s;
}

void strategy_free(struct strategy *s)
{
	if (s)
		mem_free(s->v);
	mem_free(s);
}

static bool before(const struct entry *a, const struct entry *b)
{
	if (a->flip.rare != b->flip.rare)
		return b->flip.rare;
	return a->order != b->order ? a->order > b->order : a->late < b->late;
}

static void swap(struct entry *a, struct entry *b)
{
	struct entry t = *a;
	*a = *b;
	*b = t;
}

void strategy_add(struct strategy *s, const struct flip *f)
{
	if (s->n == s->max) {
		s->max = s->max ? 2 * s->max : 256;
		s->v = mem_resize(s->v, s->max * sizeof *s->v);
	}
	s->v[s->n] = (struct entry){.order = orders[s->kind](s, f), .late = s->count++, .flip = *f};
	for (size_t i = s->n++; i && before(&s->v[i], &s->v[(i - 1) / 2]); i = (i - 1) / 2)
		swap(&s->v[i], &s->v[(i - 1) / 2]);
}

bool strategy_next(struct strategy *s, struct flip *ret)
{
	if (!s->n)
		return false;
	*ret = s->v[0].flip;
	s->v[0] = s->v[--s->n];
	for (size_t i = 0;;) {
		size_t best = i;
		for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < s->n; child++)
			if (before(&s->v[child], &s->v[best]))
				best = child;
		if (best == i)
			return true;
		swap(&s->v[i], &s->v[best]);
		i = best;
	}
}

size_t strategy_waiting(const struct strategy *s)
{
	return s->n;
}
