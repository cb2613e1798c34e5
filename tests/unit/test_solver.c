// Chains against Z3 on random queries: a sample of bench/solver/differential.
#include "base/mem.h"
#include "comparison.h"
#include "solver/chain.h"
#include "test.h"

static bool has_chain(const char *chain)
{
	struct solver_env env = {0};
	struct expr_pool pool;
	expr_pool_init(&pool);
	env.pool = &pool;
	struct solver *s = chain_new(&env, chain);
	bool has = s != NULL;
	solver_free(s);
	expr_pool_release(&pool);
	return has;
}

static void agrees(const char *chain, unsigned queries, unsigned generators, uint64_t seed)
{
	struct comparison c = {0};
	for (unsigned i = 0; i < generators; i++)
		comparison_run(&c, chain, seed + i, queries / generators, (uint64_t)20 * 1000000000);
	const char *text = test_printf("%s", c.text ? c.text : "");
	mem_free(c.text);
	CHECK_THAT(c.disagreements == 0, "%u, seed %u:\n%s", (unsigned)c.disagreements, (unsigned)c.seed, text);
	CHECK_THAT(50 * (c.answers[0][ANSWER_UNKNOWN] + c.answers[1][ANSWER_UNKNOWN]) < c.queries, "%u + %u unknown",
	           (unsigned)c.answers[0][ANSWER_UNKNOWN], (unsigned)c.answers[1][ANSWER_UNKNOWN]);
	uint64_t open = c.simple[ANSWER_SAT] + c.simple[ANSWER_UNSAT];
	CHECK_THAT(10 * c.simple[ANSWER_SAT] >= 3 * open && 10 * c.simple[ANSWER_UNSAT] >= 3 * open,
	           "%u sat and %u unsat of %u", (unsigned)c.simple[ANSWER_SAT], (unsigned)c.simple[ANSWER_UNSAT],
	           (unsigned)c.queries);
}

static void z3_agrees(void)
{
	agrees("z3", 48, 8, 100);
}

static void whole_chain_agrees(void)
{
	agrees("chain", 800, 8, 200);
}

static void sat_alone_agrees(void)
{
	agrees("rewrite,sat", 800, 8, 300);
}

static void chains_have_names(void)
{
	CHECK(has_chain("z3"));
	CHECK(has_chain("z3-here"));
	CHECK(!has_chain("nothing,z3"));
	CHECK(!has_chain(""));
}

static const struct test tests[] = {
	TEST(chains_have_names),
	TEST(z3_agrees),
	TEST(whole_chain_agrees),
	TEST(sat_alone_agrees),
};

TEST_MAIN("solver")
