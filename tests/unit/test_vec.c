#include "base/vec.h"

#include <stdint.h>

#include "test.h"

struct pair {
	int a;
	const char *b;
};

static void starts_empty_and_ends_empty(void)
{
	VEC(int) x = {0};
	CHECK(!x.v && !x.n && !x.cap);
	vec_release(&x); // of an empty one: nothing happens
	vec_push(&x, 1);
	CHECK(x.v && x.n == 1 && x.cap >= 1);
	vec_release(&x);
	CHECK(!x.v && !x.n && !x.cap);
	vec_push(&x, 2); // is valid again
	CHECK_INT(2, x.v[0]);
	vec_release(&x);
}

static void keeps_what_was_pushed(void)
{
	enum { N = 10000 };
	VEC(uint64_t) x = {0};
	size_t moves = 0;
	for (uint64_t i = 0; i < N; i++) {
		const uint64_t *before = x.v;
		size_t cap = x.cap;
		vec_push(&x, i * i);
		moves += x.cap != cap;
		CHECK(x.n <= x.cap && (x.cap != cap || x.v == before));
	}
	CHECK_THAT(moves <= 12, "%zu times", moves); // each time at least twice as much
	for (uint64_t i = 0; i < N; i++)
		CHECK(x.v[i] == i * i);
	vec_release(&x);
}

static void any_struct_with_the_members_is_one(void)
{
	struct {
		struct pair *v;
		uint32_t n, cap;
	} x = {0};
	vec_push(&x, (struct pair){.a = 1, .b = "one"});
	struct pair *added = vec_add(&x);
	CHECK(added == &x.v[1] && added->a == 0 && !added->b);
	added->a = 2;
	CHECK_INT(2, vec_pop(&x).a);
	CHECK_STR("one", vec_pop(&x).b);
	CHECK_INT(0, x.n);
	vec_release(&x);
}

static void added_ones_are_zero_where_others_were(void)
{
	VEC(struct pair) x = {0};
	vec_push(&x, (struct pair){7, "seven"});
	size_t cap = x.cap;
	vec_clear(&x);
	CHECK(x.n == 0 && x.cap == cap);
	const struct pair *added = vec_add(&x);
	CHECK(added->a == 0 && !added->b);
	vec_release(&x);
}

static void what_is_pushed_is_evaluated_once(void)
{
	VEC(int) x = {0};
	int i = 0;
	for (int k = 0; k < 100; k++)
		vec_push(&x, i++);
	CHECK_INT(100, i);
	CHECK_INT(99, x.v[99]);
	vec_push(&x, x.v[0]); // of itself, when it moves, too
	while (x.n < x.cap)
		vec_push(&x, 5);
	vec_push(&x, x.v[99]);
	CHECK_INT(99, x.v[x.n - 1]);
	vec_release(&x);
}

static void arrays_with_a_length_elsewhere(void)
{
	uint32_t *v = NULL, cap = 0;
	vec_room(v, 100u, cap);
	CHECK(cap >= 100);
	for (uint32_t i = 0; i < 100; i++)
		v[i] = i;
	uint32_t before = cap;
	vec_room(v, 50u, cap);
	CHECK(cap == before);
	vec_room(v, cap + 1, cap);
	CHECK(cap >= 2 * before);
	for (uint32_t i = 0; i < 100; i++)
		CHECK(v[i] == i);
	mem_free(v);
}

static void arrays_with_nothing_but_a_length(void)
{
	uint32_t *v = NULL, n = 0;
	for (; n < 1000; n++) {
		vec_more(v, n);
		v[n] = n;
	}
	for (uint32_t i = 0; i < n; i++)
		CHECK(v[i] == i);
	mem_free(v);
}

static void looking_up(void)
{
	struct pair {
		int key, value;
	};
	VEC(struct pair) x = {0};
	CHECK_INT(0, vec_lower(&x, key, 7));
	for (int i = 0; i < 50; i++) // 0 0 2 2 4 4 ...
		vec_push(&x, (struct pair){i / 2 * 2, i});
	for (int key = -1; key <= 50; key++) {
		size_t i = vec_lower(&x, key, key);
		CHECK(i == x.n || x.v[i].key >= key);
		CHECK(i == 0 || x.v[i - 1].key < key);
	}
	vec_release(&x);
}

static int asks_for_too_much(void *opaque)
{
	(void)opaque;
	vec_capacity(SIZE_MAX / 4, 16, 8);
	return 0;
}

static void capacities(void)
{
	CHECK_INT(5, vec_capacity(5, 5, 8));
	CHECK_INT(10, vec_capacity(6, 5, 8));
	CHECK_INT(100, vec_capacity(100, 5, 8));
	CHECK(vec_capacity(1, 0, 8) >= 1);
	test_child(asks_for_too_much, NULL, 70); // as when there is no memory
}

static const struct test tests[] = {
	TEST(starts_empty_and_ends_empty),
	TEST(keeps_what_was_pushed),
	TEST(any_struct_with_the_members_is_one),
	TEST(added_ones_are_zero_where_others_were),
	TEST(what_is_pushed_is_evaluated_once),
	TEST(arrays_with_a_length_elsewhere),
	TEST(arrays_with_nothing_but_a_length),
	TEST(looking_up),
	TEST(capacities),
};
TEST_MAIN("vec")
