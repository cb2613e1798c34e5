#include "base/arena.h"

#include <stdalign.h>

#include "test.h"

static void gives_all_back(void)
{
	struct arena a = {0};
	arena_release(&a); // of an empty one: nothing happens
	CHECK(!a.blocks && !a.bytes);
	for (size_t i = 0; i < 1000; i++)
		memset(arena_alloc(&a, i), 0x5a, i);
	CHECK(a.bytes > 1000 * 999 / 2);
	arena_release(&a);
	CHECK(!a.blocks && !a.bytes);
	CHECK_STR("again", arena_strdup(&a, "again"));
	arena_release(&a);
}

// Pieces are apart from each other, aligned, and stay where they are.
static void pieces_are_whole(void)
{
	enum { N = 2000 };
	struct arena a = {0};
	uint8_t *pieces[N];
	size_t sizes[N];
	for (size_t i = 0; i < N; i++) {
		sizes[i] = test_below(20) ? test_below(100) : test_below(3 * ARENA_BLOCK);
		pieces[i] = arena_alloc(&a, sizes[i]);
		CHECK((uintptr_t)pieces[i] % alignof(max_align_t) == 0);
		memset(pieces[i], (int)i & 0xff, sizes[i]);
	}
	for (size_t i = 0; i < N; i++)
		for (size_t k = 0; k < sizes[i]; k++)
			CHECK(pieces[i][k] == (i & 0xff));
	arena_release(&a);
}

static void copies(void)
{
	struct arena a = {0};
	char *bytes = arena_copy(&a, "a\0b", 3), *none = arena_copy(&a, NULL, 0);
	CHECK(memcmp(bytes, "a\0b", 4) == 0 && !*none);
	arena_release(&a);
}

// Whoever asks before stays below the limit.
static void costs_at_most_what_it_said(void)
{
	struct arena a = {0};
	for (int i = 0; i < 3000; i++) {
		size_t n = 1 + test_below(6), sizes[6], all = 0;
		for (size_t k = 0; k < n; k++)
			all += sizes[k] = test_below(30) ? test_below(200) : test_below(2 * ARENA_BLOCK);
		size_t before = a.bytes, cost = arena_cost(&a, n, all);
		for (size_t k = 0; k < n; k++)
			arena_alloc(&a, sizes[k]);
		CHECK_THAT(a.bytes - before <= cost, "%zu of %zu", a.bytes - before, cost);
	}
	arena_release(&a);
}

static const struct test tests[] = {
	TEST(gives_all_back),
	TEST(pieces_are_whole),
	TEST(copies),
	TEST(costs_at_most_what_it_said),
};
TEST_MAIN("arena")
