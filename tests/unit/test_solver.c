// Chains against Z3 on random queries: a sample of bench/solver/differential.
#include <signal.h>
#include <sys/time.h>

#include "base/mem.h"
#include "comparison.h"
#include "expr/tape.h"
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
	agrees("chain", test_times(800), 8, 200);
}

// With floats Z3 may need longer than is allowed here; what both answer must be the same.
static void floats_agree(void)
{
	static const char *const chains[] = {"chain", "rewrite,quick,lazy,sat,search", "rewrite,lazy,sat,fixed"};
	for (unsigned i = 0; i < COUNT(chains); i++) {
		struct comparison c = {.floats = true};
		for (unsigned k = 0; k < 4; k++)
			comparison_run(&c, chains[i], 500 + 10 * i + k, test_times(160) / 4, (uint64_t)200000000);
		const char *text = test_printf("%s", c.text ? c.text : "");
		mem_free(c.text);
		CHECK_THAT(c.disagreements == 0, "%s: %u, seed %u:\n%s", chains[i], (unsigned)c.disagreements,
		           (unsigned)c.seed, text);
		CHECK_THAT(c.answers[1][ANSWER_SAT] > 0, "%s", chains[i]);
	}
}

static void sat_alone_agrees(void)
{
	agrees("rewrite,sat", test_times(800), 8, 300);
}

static void chains_have_names(void)
{
	CHECK(has_chain("z3"));
	CHECK(has_chain("z3-here"));
	CHECK(!has_chain("nothing,z3"));
	CHECK(!has_chain(""));
}

// --- limits and interruption: no damage is left ----------------------------------------------------

struct problem {
	struct expr_pool pool;
	struct solver_env env;
	struct solver *solver;
	struct model model;
	uint8_t seed[24];
	uint32_t byte[24];
};

static void problem_init(struct problem *p, const char *chain)
{
	*p = (struct problem){0};
	expr_pool_init(&p->pool);
	uint32_t source = expr_source(&p->pool, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "x"));
	for (uint32_t i = 0; i < 24; i++)
		p->byte[i] = expr_input(&p->pool, source, i);
	p->env.pool = &p->pool;
	p->env.strict = true;
	p->solver = chain_new(&p->env, chain);
}

static void problem_release(struct problem *p)
{
	solver_free(p->solver);
	model_release(&p->model);
	expr_pool_release(&p->pool);
}

static uint32_t word(struct problem *p, unsigned first, unsigned bytes)
{
	uint32_t e = p->byte[first];
	for (unsigned i = 1; i < bytes; i++)
		e = expr_make(&p->pool, OP_CONCAT, 8 * (i + 1), p->byte[first + i], e, 0);
	return e;
}

// Two factors of a 62-bit product of primes, both below 2^32 and larger than 1.
static enum answer ask_hard(struct problem *p)
{
	struct expr_pool *x = &p->pool;
	uint32_t a = expr_make(x, OP_ZEXT, 64, word(p, 0, 4), 0, 0), b = expr_make(x, OP_ZEXT, 64, word(p, 4, 4), 0, 0);
	uint32_t one = expr_const(x, 64, 1);
	uint32_t conditions[] = {expr_eq(x, expr_make(x, OP_MUL, 64, a, b, 0), (eval_value)2147483647u * 2147483629u),
	                         expr_make(x, OP_ULT, 1, one, a, 0), expr_make(x, OP_ULT, 1, one, b, 0)};
	struct query q = {.conditions = conditions, .n = COUNT(conditions), .seed = p->seed};
	return solver_solve(p->solver, &q, &p->model);
}

// Easy ones that have to be answered right afterwards.
static void check_usable(struct problem *p)
{
	struct expr_pool *x = &p->pool;
	uint32_t sum = expr_make(x, OP_ADD, 32, word(p, 8, 4), word(p, 12, 4), 0);
	uint32_t conditions[] = {expr_eq(x, sum, 123456789), expr_eq(x, p->byte[9], 7),
	                         expr_make(x, OP_ULT, 1, word(p, 8, 4), word(p, 12, 4), 0)};
	struct query q = {.conditions = conditions, .n = 3, .seed = p->seed};
	CHECK_INT(ANSWER_SAT, solver_solve(p->solver, &q, &p->model));
	uint32_t none[] = {conditions[0], expr_eq(x, sum, 5)};
	q.conditions = none;
	q.n = 2;
	CHECK_INT(ANSWER_UNSAT, solver_solve(p->solver, &q, &p->model));
}

static struct solver_env *to_interrupt;

static void interrupt(int signal)
{
	to_interrupt->interrupted = 1;
}

static void interruption(void)
{
	for (int i = 0; i < 2; i++) {
		struct problem p;
		problem_init(&p, i ? "chain" : "rewrite,sat");
		to_interrupt = &p.env;
		struct sigaction action = {.sa_handler = interrupt}, old;
		sigaction(SIGALRM, &action, &old);
		setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {.tv_usec = 100000}}, NULL);
		uint64_t from = clock_nanoseconds();
		CHECK_INT(ANSWER_UNKNOWN, ask_hard(&p));
		CHECK(clock_nanoseconds() - from < (uint64_t)10 * 1000000000);
		CHECK_INT(SOLVER_INTERRUPTED, p.env.reason);
		sigaction(SIGALRM, &old, NULL);
		p.env.interrupted = 0;
		check_usable(&p);
		problem_release(&p);
	}
}

static void limits_of_time_and_conflicts(void)
{
	for (int i = 0; i < 3; i++) {
		struct problem p;
		problem_init(&p, i == 0 ? "rewrite,sat" : i == 1 ? "chain" : "rewrite,sat");
		p.env.nanoseconds = i < 2 ? 100000000 : 0;
		p.env.conflicts = i < 2 ? 0 : 50;
		uint64_t from = clock_nanoseconds();
		CHECK_INT(ANSWER_UNKNOWN, ask_hard(&p));
		CHECK(clock_nanoseconds() - from < (uint64_t)10 * 1000000000);
		CHECK_INT(i < 2 ? SOLVER_TIME : SOLVER_CONFLICTS, p.env.reason);
		p.env.nanoseconds = 0;
		p.env.conflicts = 0;
		check_usable(&p);
		problem_release(&p);
	}
}

// State that is multiplied at each step, as hashes and generators of random numbers do: neither the values of one byte
// nor circuits can be made in the time that a query has.
static void long_products_take_no_longer(void)
{
	for (int i = 0; i < 4; i++) {
		struct problem p;
		problem_init(&p, i % 2 ? "chain" : "rewrite,quick,lazy,sat");
		p.env.nanoseconds = 100000000;
		struct expr_pool *x = &p.pool;
		uint32_t state = expr_make(x, OP_ZEXT, 64, i < 2 ? p.byte[0] : word(&p, 0, 4), 0, 0);
		uint32_t factor = expr_const(x, 64, 6364136223846793005u), conditions[100];
		for (unsigned k = 0; k < 400 * COUNT(conditions); k++) {
			state = expr_make(x, OP_XOR, 64, expr_make(x, OP_MUL, 64, state, factor, 0),
			                  expr_const(x, 64, k), 0);
			conditions[k / 400] = expr_make(x, OP_ULT, 1, expr_const(x, 64, 1000), state, 0);
		}
		conditions[0] = expr_make(x, OP_ULT, 1, state, expr_const(x, 64, (eval_value)1 << 40), 0);
		struct query q = {.conditions = conditions, .n = COUNT(conditions), .seed = p.seed};
		uint64_t from = clock_nanoseconds();
		CHECK_INT(ANSWER_UNKNOWN, solver_solve(p.solver, &q, &p.model));
		CHECK_INT(SOLVER_TIME, p.env.reason);
		CHECK(clock_nanoseconds() - from < (uint64_t)3 * 1000000000);
		p.env.nanoseconds = 0;
		check_usable(&p);
		problem_release(&p);
	}
}

// Without a solver that knows floats: a condition with some that the solution leaves as it is does not matter, nor one
// beside others that contradict each other.
static void floats_come_last(void)
{
	struct problem p;
	problem_init(&p, "rewrite,slice,lazy,sat");
	struct expr_pool *x = &p.pool;
	uint32_t f = expr_make(x, OP_SITOF, 32, word(&p, 0, 4), 0, 0), sum = expr_make(x, OP_FADD, 32, f, f, 0);
	uint32_t two = expr_make(x, OP_ADD, 8, p.byte[0], p.byte[8], 0);
	uint32_t conditions[] = {expr_make(x, OP_FLE, 1, f, sum, 0), expr_eq(x, two, 3),
	                         expr_make(x, OP_ULT, 1, p.byte[8], expr_const(x, 8, 100), 0)};
	struct query q = {.conditions = conditions, .n = COUNT(conditions), .seed = p.seed};
	CHECK_INT(ANSWER_SAT, solver_solve(p.solver, &q, &p.model));
	conditions[2] = expr_make(x, OP_ULT, 1, two, expr_const(x, 8, 2), 0);
	CHECK_INT(ANSWER_UNSAT, solver_solve(p.solver, &q, &p.model));
	conditions[2] = expr_make(x, OP_FLT, 1, sum, f, 0);
	CHECK_INT(ANSWER_UNKNOWN, solver_solve(p.solver, &q, &p.model));
	problem_release(&p);
}

// next[base[state] + byte % 4], 16 bits wide.
static uint32_t scan(struct problem *p, uint32_t state, uint32_t byte, uint32_t base, uint32_t next)
{
	struct expr_pool *x = &p->pool;
	uint32_t class = expr_make(x, OP_UREM, 8, byte, expr_const(x, 8, 4), 0), two = expr_const(x, 64, 2);
	uint32_t at = expr_make(x, OP_MUL, 64, expr_make(x, OP_ZEXT, 64, state, 0, 0), two, 0);
	uint32_t from = expr_make(x, OP_ZEXT, 64, expr_lookup(x, 16, at, base), 0, 0);
	uint32_t sum = expr_make(x, OP_ADD, 64, from, expr_make(x, OP_ZEXT, 64, class, 0, 0), 0);
	return expr_lookup(x, 16, expr_make(x, OP_MUL, 64, sum, two, 0), next);
}

// Scanners with tables at random: with conditions left out, the answers are those to all of them at once.
static void large_queries_in_parts(void)
{
	enum { STATES = 60, BYTES = 10 };
	unsigned answers[3] = {0};
	uint64_t chance = 31;
	for (unsigned round = 0; round < 24; round++) {
		struct problem p;
		problem_init(&p, "rewrite,lazy,sat");
		struct expr_pool *x = &p.pool;
		struct solver *whole = chain_new(&p.env, "rewrite,sat");
		uint16_t bases[STATES], nexts[4 * STATES];
		uint32_t conditions[BYTES], state = expr_const(x, 16, 0);
		for (unsigned i = 0; i < STATES; i++)
			bases[i] = (uint16_t)(4 * i);
		for (unsigned i = 0; i < COUNT(nexts); i++)
			nexts[i] = (uint16_t)random_below(&chance, STATES);
		uint32_t base = expr_table(x, (uint8_t *)bases, NULL, sizeof bases);
		uint32_t next = expr_table(x, (uint8_t *)nexts, NULL, sizeof nexts);
		for (unsigned i = 0; i < BYTES; i++) {
			state = scan(&p, state, p.byte[i], base, next);
			bool was = expr_eval(x, state, p.seed) % 2;
			uint32_t odd = expr_make(x, OP_EXTRACT, 1, state, 0, 0);
			conditions[i] = was ^ (i == BYTES - 1) ? odd : expr_not(x, odd);
		}
		conditions[BYTES - 2] =
			round % 3 ? conditions[BYTES - 2] : expr_eq(x, state, random_below(&chance, STATES));
		struct query q = {.conditions = conditions, .n = BYTES, .seed = p.seed};
		enum answer a = solver_solve(p.solver, &q, &p.model);
		CHECK_INT(solver_solve(whole, &q, &p.model), a);
		answers[a]++;
		solver_free(whole);
		problem_release(&p);
	}
	CHECK(answers[ANSWER_SAT] && answers[ANSWER_UNSAT] && !answers[ANSWER_UNKNOWN]);
}

// However little memory there is: no wrong answer, and the next question finds everything in order.
static void limits_of_memory(void)
{
	unsigned unknown = 0, known = 0;
	for (size_t bytes = 1000; bytes < 10000000; bytes += bytes / 2) {
		struct problem p;
		problem_init(&p, "rewrite,slice,cache,quick,sat");
		solver_free(p.solver);
		p.env.bytes = bytes;
		p.solver = chain_new(&p.env, "rewrite,slice,cache,quick,sat");
		struct expr_pool *x = &p.pool;
		uint32_t product = expr_make(x, OP_MUL, 32, word(&p, 0, 4), word(&p, 4, 4), 0);
		for (int round = 0; round < 3; round++) {
			uint32_t conditions[] = {expr_eq(x, product, 6 + (eval_value)round),
			                         expr_make(x, OP_ULT, 1, expr_const(x, 32, 1), word(&p, 0, 4), 0),
			                         expr_make(x, OP_ULT, 1, word(&p, 0, 4), word(&p, 4, 4), 0)};
			struct query q = {.conditions = conditions, .n = COUNT(conditions), .seed = p.seed};
			enum answer a = solver_solve(p.solver, &q, &p.model);
			CHECK(a != ANSWER_UNSAT);
			unknown += a == ANSWER_UNKNOWN;
			known += a == ANSWER_SAT;
			if (a == ANSWER_UNKNOWN)
				CHECK_INT(SOLVER_MEMORY, p.env.reason);
		}
		problem_release(&p);
	}
	CHECK_THAT(unknown > 3 && known > 3, "%u unknown, %u known", unknown, known);
}

static const struct test tests[] = {
	TEST(chains_have_names),
	TEST(z3_agrees),
	TEST(whole_chain_agrees),
	TEST(floats_agree),
	TEST(sat_alone_agrees),
	TEST(interruption),
	TEST(limits_of_time_and_conflicts),
	TEST(long_products_take_no_longer),
	TEST(limits_of_memory),
	TEST(floats_come_last),
	TEST(large_queries_in_parts),
};

TEST_MAIN("solver")
