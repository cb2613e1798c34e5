#include "path/tree.h"

#include "test.h"

static void states(void)
{
	struct tree t;
	tree_init(&t, 1000);
	CHECK(tree_get(&t, 7) == TREE_NEW);
	CHECK(tree_set(&t, 7, TREE_PENDING) == TREE_NEW);
	CHECK(tree_set(&t, 7, TREE_SAT) == TREE_PENDING);
	CHECK(t.count[TREE_PENDING] == 0 && t.count[TREE_SAT] == 1 && t.n == 1);
	CHECK(tree_set(&t, 7, TREE_TAKEN) == TREE_SAT);
	CHECK(tree_set(&t, 7, TREE_UNSAT) == TREE_TAKEN); // who was there was there
	CHECK(tree_get(&t, 7) == TREE_TAKEN);
	CHECK(t.count[TREE_SAT] == 0 && t.count[TREE_TAKEN] == 1 && t.count[TREE_UNSAT] == 0);
	CHECK(tree_set(&t, 0, TREE_UNSAT) == TREE_NEW); // any key is a key
	CHECK(tree_get(&t, 0) == TREE_UNSAT);
	tree_release(&t);
}

static void many(void)
{
	struct tree t;
	tree_init(&t, 100000);
	for (uint64_t i = 1; i <= 50000; i++)
		CHECK(tree_set(&t, i << 44 | i, i % 2 ? TREE_TAKEN : TREE_UNSAT) == TREE_NEW);
	for (uint64_t i = 1; i <= 50000; i++)
		CHECK(tree_get(&t, i << 44 | i) == (i % 2 ? TREE_TAKEN : TREE_UNSAT));
	CHECK(tree_get(&t, 99) == TREE_NEW);
	CHECK(t.n == 50000 && t.count[TREE_TAKEN] == 25000 && !t.full);
	tree_release(&t);
}

static void full(void)
{
	struct tree t;
	tree_init(&t, 10);
	for (uint64_t i = 1; i <= 10; i++)
		tree_set(&t, i, TREE_PENDING);
	CHECK(!t.full);
	CHECK(tree_set(&t, 11, TREE_PENDING) == TREE_NEW && t.full);
	CHECK(tree_get(&t, 11) == TREE_NEW);
	CHECK(tree_set(&t, 10, TREE_TAKEN) == TREE_PENDING); // what is there goes on
	CHECK(t.n == 10);
	tree_release(&t);
}

static void values(void)
{
	struct tree t;
	tree_init(&t, 1 << 20);
	CHECK(!tree_find_values(&t, 5));
	for (uint64_t i = 0; i < TREE_VALUES_MAX; i++) {
		const struct tree_values *v = tree_add_value(&t, 5, 3 * i);
		CHECK(v && v->n == i + 1 && v->v[i] == 3 * i);
		CHECK(!tree_add_value(&t, 5, 3 * i)); // known
	}
	CHECK(!t.full);
	CHECK(!tree_add_value(&t, 5, 1) && t.full); // too many
	CHECK(tree_find_values(&t, 5)->n == TREE_VALUES_MAX);
	for (uint64_t place = 6; place < 2000; place++)
		CHECK(tree_add_value(&t, place, place)->n == 1);
	for (uint64_t place = 6; place < 2000; place++)
		CHECK(tree_find_values(&t, place)->v[0] == place);
	CHECK(tree_add_value(&t, 0, 8)->n == 1 && tree_find_values(&t, 0)->v[0] == 8);
	tree_release(&t);
}

static const struct test tests[] = {TEST(states), TEST(many), TEST(full), TEST(values)};

TEST_MAIN("tree")
