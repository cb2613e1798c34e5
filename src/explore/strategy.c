#include "explore/strategy.h"

#include <string.h>

#include "base/mem.h"

// A heap; `order` is the larger the sooner.
struct entry {
	uint64_t order, late; // late: of the same order, the first comes first
	struct flip flip;
};

// How often ways to a side of a place, whatever came before, or to any side of it were chosen.
struct tally {
	uint64_t name; // 0: free
	uint32_t n;
};

struct strategy {
	enum strategy_kind kind;
	const struct tree *sides;
	struct entry *v;
	size_t n, max;
	uint64_t random, count;
	struct tally *tallies;
	size_t n_tallies, tallies_cap;
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

// --- how often ------------------------------------------------------------------------------------

static struct tally *tally_at(struct tally *v, size_t cap, uint64_t name)
{
	size_t at = (size_t)(name * 0x9e3779b97f4a7c15u >> 20) & (cap - 1);
	while (v[at].name && v[at].name != name)
		at = (at + 1) & (cap - 1);
	return &v[at];
}

static void grow_tallies(struct strategy *s)
{
	size_t cap = s->tallies_cap ? 2 * s->tallies_cap : 1024;
	struct tally *bigger = mem_zero(cap * sizeof *bigger);
	for (size_t i = 0; i < s->tallies_cap; i++)
		if (s->tallies[i].name)
			*tally_at(bigger, cap, s->tallies[i].name) = s->tallies[i];
	mem_free(s->tallies);
	s->tallies = bigger;
	s->tallies_cap = cap;
}

static void count(struct strategy *s, uint64_t name)
{
	if (2 * (s->n_tallies + 1) > s->tallies_cap)
		grow_tallies(s);
	struct tally *t = tally_at(s->tallies, s->tallies_cap, name ? name : 1);
	s->n_tallies += !t->name;
	t->name = name ? name : 1;
	t->n++;
}

static uint32_t counted(const struct strategy *s, uint64_t name)
{
	return s->tallies_cap ? tally_at(s->tallies, s->tallies_cap, name ? name : 1)->n : 0;
}

// --- orders ---------------------------------------------------------------------------------------

static uint64_t scatter(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static uint64_t next_random(struct strategy *s)
{
	return scatter(s->random += 0x9e3779b97f4a7c15u);
}

// Doublings: 0, 1, 2 or 3, 4 to 7 ...
static uint64_t magnitude(uint32_t n)
{
	return n ? 32u - (unsigned)__builtin_clz(n) : 0;
}

// Sides that were chosen less often come first, so that no loop and no switch, of which each run has more places than
// of anything else, takes all the time. One that no run was on is worth UNSEEN halves of a doubling; it is tried off
// many paths, but not for ever. A third of what counts is the side after that of the decision before it: the same place
// means something else when it is come to from elsewhere. Another third is the side on paths that came by something
// rare: that way everything is tried together with each of two options, two commands or two kinds of lines, which is
// where code is that no single decision leads to. Of the same worth are those off the runs that covered most, and then
// all those off the same run together: that run is repeated once for them. In which order runs come is left to chance:
// the older first would be breadth first. Off a run that takes twice as long, beyond QUICK milliseconds, it is worth a
// doubling less: runs off it take as long.
enum { UNSEEN = 14, QUICK = 8, WORTH_MAX = 96 };

static uint64_t order_GENERATIONAL(struct strategy *s, const struct flip *f)
{
	bool unseen = f->turn.op != TURN_OTHER && tree_get(s->sides, f->turn.side) == TREE_NEW;
	bool one_of_many = f->turn.op == TURN_CASE || f->turn.op == TURN_DEFAULT;
	uint32_t n = counted(s, !unseen && one_of_many ? f->turn.site : f->turn.side);
	uint64_t tried = magnitude(n) + magnitude(counted(s, f->turn.context)) + magnitude(counted(s, f->turn.pair));
	uint64_t worth = WORTH_MAX - (tried + (unseen ? 0 : UNSEEN) + 1) / 2 - magnitude(f->milliseconds / QUICK);
	return worth << 57 | (uint64_t)(f->turn.op == TURN_VIOLATE) << 56 | magnitude(f->covered) << 48 |
	       (scatter((uint64_t)f->input + 1) & 0xffffffffffff);
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

struct strategy *strategy_new(enum strategy_kind kind, uint64_t random, const struct tree *sides)
{
	struct strategy *s = mem_zero(sizeof *s);
	s->kind = kind;
	s->random = random;
	s->sides = sides;
	return s;
}

void strategy_free(struct strategy *s)
{
	if (s) {
		mem_free(s->v);
		mem_free(s->tallies);
	}
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

static void add(struct strategy *s, const struct entry *e)
{
	if (s->n == s->max) {
		s->max = s->max ? 2 * s->max : 256;
		s->v = mem_resize(s->v, s->max * sizeof *s->v);
	}
	s->v[s->n] = *e;
	for (size_t i = s->n++; i && before(&s->v[i], &s->v[(i - 1) / 2]); i = (i - 1) / 2)
		swap(&s->v[i], &s->v[(i - 1) / 2]);
}

// Puts the first one where it belongs.
static void sink(struct strategy *s)
{
	for (size_t i = 0;;) {
		size_t best = i;
		for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < s->n; child++)
			if (before(&s->v[child], &s->v[best]))
				best = child;
		if (best == i)
			return;
		swap(&s->v[i], &s->v[best]);
		i = best;
	}
}

void strategy_add(struct strategy *s, const struct flip *f)
{
	struct entry e = {.order = orders[s->kind](s, f), .late = s->count++, .flip = *f};
	add(s, &e);
}

// What was worth more when it came is worth less now.
static void refresh(struct strategy *s)
{
	while (s->kind == STRATEGY_GENERATIONAL && s->n) {
		uint64_t order = orders[s->kind](s, &s->v[0].flip);
		if (order >= s->v[0].order)
			return;
		s->v[0].order = order;
		sink(s);
	}
}

bool strategy_next(struct strategy *s, int64_t input, struct flip *ret)
{
	refresh(s);
	if (!s->n || (input && s->v[0].flip.input != input))
		return false;
	*ret = s->v[0].flip;
	s->v[0] = s->v[--s->n];
	sink(s);
	count(s, ret->turn.side);
	count(s, ret->turn.site);
	count(s, ret->turn.context);
	count(s, ret->turn.pair);
	return true;
}

size_t strategy_waiting(const struct strategy *s)
{
	return s->n;
}
