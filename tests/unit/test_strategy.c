#include "search/strategy.h"

#include <stdio.h>

#include "test.h"

// Sides that were seen: none but 7.
static struct tree edges;
static const struct strategy_setup setup = {.random = 1, .edges = &edges};

// One way at a time.
static bool next(struct strategy *s, struct candidate *ret)
{
	bool first;
	return strategy_choose(s, 0, false, ret, 1, &first) == 1;
}

static struct candidate candidate(int64_t input, uint32_t depth)
{
	return (struct candidate){.input = input, .depth = depth, .alternative = {.op = ALTERNATIVE_NEGATE}};
}

// Adds flips of these depths, numbered from 1, and gives their numbers in the order in which they come.
static const char *order(enum strategy_kind kind, const uint32_t *depths, size_t n)
{
	struct strategy *s = strategy_new(kind, &setup);
	char *text = test_alloc(8 * n + 1);
	struct candidate f;
	for (size_t i = 0; i < n; i++) {
		f = candidate((int64_t)i + 1, depths[i]);
		strategy_add(s, &f);
	}
	CHECK_INT(n, strategy_waiting(s));
	text[0] = 0;
	while (next(s, &f))
		sprintf(text + strlen(text), "%d ", (int)f.input);
	CHECK_INT(0, strategy_waiting(s));
	strategy_free(s);
	return text;
}

static void by_depth(void)
{
	static const uint32_t depths[] = {5, 1, 9, 5, 0};
	CHECK_STR("3 1 4 2 5 ", order(STRATEGY_dfs, depths, COUNT(depths)));
	CHECK_STR("5 2 1 4 3 ", order(STRATEGY_bfs, depths, COUNT(depths)));
}

static void generational(void)
{
	struct strategy *s = strategy_new(STRATEGY_generational, &setup);
	struct candidate f = candidate(1, 3), checks = candidate(2, 3), covers = candidate(3, 3),
			 unseen = candidate(4, 900000), rare = candidate(5, 0);
	checks.alternative.op = ALTERNATIVE_VIOLATE;
	covers.covered = 70000;
	rare.rare = true;
	tree_init(&edges, 10);
	tree_set(&edges, 7, TREE_TAKEN);
	f.alternative.edge = checks.alternative.edge = covers.alternative.edge =
		7; // all but two are of a side that was seen
	unseen.alternative.edge = rare.alternative.edge = 8;
	const struct candidate *all[] = {&rare, &f, &covers, &checks, &unseen};
	for (size_t i = 0; i < COUNT(all); i++)
		strategy_add(s, all[i]);
	static const int64_t expected[] = {4, 2, 3, 1, 5};
	for (size_t i = 0; next(s, &f); i++)
		CHECK_INT(expected[i], f.input);
	strategy_free(s);
	tree_release(&edges);
}

// A side that was tried often is worth trying again after something rare.
static void pairs(void)
{
	struct strategy *s = strategy_new(STRATEGY_generational, &setup);
	struct candidate f;
	tree_init(&edges, 10);
	tree_set(&edges, 7, TREE_TAKEN);
	for (int64_t i = 1; i <= 64; i++) {
		f = candidate(i, 3);
		f.alternative.edge = f.alternative.context = 7;
		f.alternative.pair = i == 40 ? 2 : 1;
		strategy_add(s, &f);
	}
	int n = 1;
	while (next(s, &f) && f.input != 40)
		n++;
	CHECK_THAT(n <= 4, "after %d", n);
	strategy_free(s);
	tree_release(&edges);
}

// Whatever the order, each comes once.
static void every_one(void)
{
	enum { N = 3000 };
	for (int kind = 0; kind < STRATEGIES; kind++) {
		if (strategy_has_episodes((enum strategy_kind)kind))
			continue; // test_episode.c
		struct strategy *s = strategy_new((enum strategy_kind)kind, &setup);
		unsigned char *seen = test_alloc(N);
		size_t n = 0;
		struct candidate f;
		memset(seen, 0, N);
		for (uint32_t i = 0; i < N; i++) {
			f = candidate(i, i * 7919 % 1000);
			f.rare = i % 10 == 0;
			strategy_add(s, &f);
		}
		for (bool rare = false; next(s, &f); n++) {
			CHECK(!seen[f.input]++);
			CHECK(f.rare >= rare); // last
			rare = f.rare;
		}
		CHECK_INT(N, n);
		strategy_free(s);
	}
}

static void names(void)
{
	enum strategy_kind kind;
	CHECK(strategy_find("dfs", &kind) && kind == STRATEGY_dfs);
	CHECK(strategy_find("generational", &kind) && kind == STRATEGY_generational);
	CHECK(!strategy_find("", &kind) && !strategy_find("dfs ", &kind));
	CHECK(strategy_find("round-robin", &kind) && strategy_has_episodes(kind));
	CHECK_STR("generational, dfs, bfs, random, cfds, cgs, param, round-robin, chameleon", strategy_words());
}

static const struct test tests[] = {TEST(by_depth), TEST(generational), TEST(pairs), TEST(every_one), TEST(names)};

TEST_MAIN("strategy")
