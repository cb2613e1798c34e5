#include "base/mem.h"
#include "expr/simplify.h"
#include "expr/tape.h"
#include "small.h"
#include "solver/slice.h"
#include "test.h"

enum { MOST = 40 };

// The variables of a condition, as bits.
static void add(struct slice *s, uint32_t condition)
{
	slice_add(s, condition, condition);
}

static uint64_t vars_of(struct small *s, uint32_t condition)
{
	struct tape t;
	uint64_t vars = 0;
	tape_init(&t, &s->pool);
	tape_add(&t, expr_simplify(&s->pool, condition));
	for (uint32_t i = 0; i < t.n_vars; i++)
		vars |= 1ull << t.vars[i];
	tape_release(&t);
	return vars;
}

// Adds what overlaps until nothing does.
static uint64_t naive_related(const uint64_t *vars, uint32_t n, uint64_t of)
{
	uint64_t in = 0;
	for (bool again = true; again;) {
		again = false;
		for (uint32_t i = 0; i < n; i++)
			if (!(in >> i & 1) && (vars[i] & of)) {
				in |= 1ull << i;
				of |= vars[i];
				again = true;
			}
	}
	return in;
}

static void compare(struct slice *s, uint32_t condition, const uint32_t *conditions, uint32_t n, uint64_t expected)
{
	struct condition_list list = {0};
	slice_related(s, condition, &list);
	uint32_t at = 0;
	bool same = true;
	for (uint32_t i = 0; i < n; i++)
		if (expected >> i & 1)
			same = same && at < list.n && list.ids[at++] == conditions[i];
	same = same && at == list.n;
	condition_list_release(&list);
	CHECK(same);
}

// After every condition, a question that is not on the path; and all questions again in a slice that
// was made at once.
static void as_naive(void)
{
	struct small m;
	struct slice s, rebuilt;
	for (uint64_t round = 0; round < 300; round++) {
		small_init(&m, 3 + (uint32_t)round % 60, round);
		slice_init(&s, &m.pool);
		slice_init(&rebuilt, &m.pool);
		uint32_t conditions[MOST], questions[MOST], n = 1 + random_below(&m.random, MOST);
		uint64_t vars[MOST], expected[MOST];
		for (uint32_t i = 0; i < n; i++) {
			uint32_t width = 1 + random_below(&m.random, 3);
			questions[i] = small_condition(&m, random_below(&m.random, m.n_vars - width + 1), width, 3);
			width = 1 + random_below(&m.random, 3);
			conditions[i] = small_condition(&m, random_below(&m.random, m.n_vars - width + 1), width, 3);
			expected[i] = naive_related(vars, i, vars_of(&m, questions[i]));
			compare(&s, questions[i], conditions, i, expected[i]);
			vars[i] = vars_of(&m, conditions[i]);
			slice_add(&s, conditions[i], conditions[i]);
		}
		for (uint32_t i = 0; i < n; i++) {
			slice_clear(&rebuilt);
			for (uint32_t k = 0; k < i; k++)
				slice_add(&rebuilt, conditions[k], conditions[k]);
			compare(&rebuilt, questions[i], conditions, i, expected[i]);
			compare(&s, questions[i], conditions, n, naive_related(vars, n, vars_of(&m, questions[i])));
		}
		slice_release(&s);
		slice_release(&rebuilt);
		small_release(&m);
	}
}

// A question must not join what it reaches.
static void questions_change_nothing(void)
{
	struct small m;
	struct slice s;
	struct condition_list list = {0};
	small_init(&m, 2, 1);
	slice_init(&s, &m.pool);
	uint32_t a = expr_eq(&m.pool, m.bits[0], 1), b = expr_eq(&m.pool, m.bits[1], 1);
	slice_add(&s, a, a);
	slice_add(&s, b, b);
	slice_related(&s, expr_make(&m.pool, OP_ULT, 1, m.bits[0], m.bits[1], 0), &list);
	CHECK_INT(2, list.n);
	slice_related(&s, expr_eq(&m.pool, m.bits[0], 2), &list);
	CHECK_INT(1, list.n);
	CHECK_INT(a, list.ids[0]);
	condition_list_release(&list);
	slice_release(&s);
	small_release(&m);
}

// What depends on no input does not make conditions dependent, also when they share it.
static void constants_do_not_join(void)
{
	struct small m;
	struct slice s;
	struct condition_list list = {0};
	small_init(&m, 2, 1);
	struct expr_pool *p = &m.pool;
	slice_init(&s, p);
	uint32_t five = expr_make(p, OP_ADD, 3, expr_const(p, 3, 2), expr_const(p, 3, 3), 0);
	add(&s, expr_make(p, OP_ULT, 1, m.bits[0], five, 0));
	add(&s, expr_make(p, OP_ULT, 1, m.bits[1], five, 0));
	add(&s, expr_make(p, OP_ULT, 1, five, expr_const(p, 3, 7), 0));
	slice_related(&s, expr_make(p, OP_EQ, 1, m.bits[1], five, 0), &list);
	CHECK_INT(1, list.n);
	slice_related(&s, expr_make(p, OP_EQ, 1, five, five, 0), &list);
	CHECK_INT(0, list.n);
	condition_list_release(&list);
	slice_release(&s);
	small_release(&m);
}

// A checksum over many bytes, with a condition after each; and chains that end up together.
static void deep_chains(void)
{
	enum { DEEP = 100000 };
	struct expr_pool p;
	struct slice s;
	struct condition_list list = {0};
	expr_pool_init(&p);
	uint32_t source = expr_source(&p, input_source(INPUT_STDIN, INPUT_BYTES, 0, ""));
	uint32_t sum[2] = {expr_const(&p, 8, 0), expr_const(&p, 8, 0)};
	slice_init(&s, &p);
	for (uint32_t i = 0; i < DEEP; i++) {
		sum[i % 2] = expr_make(&p, OP_ADD, 8, sum[i % 2], expr_input(&p, source, i), 0);
		if (i % 100 < 2)
			add(&s, expr_eq(&p, sum[i % 2], i));
	}
	uint32_t last = expr_eq(&p, expr_input(&p, source, 0), 3);
	slice_related(&s, last, &list);
	CHECK_INT(DEEP / 100, list.n);
	add(&s, expr_make(&p, OP_ULT, 1, sum[0], sum[1], 0));
	for (unsigned again = 0; again < 2; again++) {
		slice_related(&s, last, &list);
		CHECK_INT(2 * DEEP / 100 + 1, list.n);
		for (uint32_t i = 0; i < list.n; i++)
			CHECK_INT(s.conditions[i].tag, list.ids[i]);
	}
	condition_list_release(&list);
	slice_release(&s);
	expr_pool_release(&p);
}

// A large table in which there are expressions, read at many places: the table is visited once.
static void tables(void)
{
	enum { SIZE = 4096, READS = 4096 };
	struct expr_pool p;
	struct slice s;
	struct condition_list list = {0};
	expr_pool_init(&p);
	uint32_t source = expr_source(&p, input_source(INPUT_STDIN, INPUT_BYTES, 0, ""));
	uint8_t bytes[SIZE] = {0};
	uint32_t exprs[SIZE];
	for (uint32_t i = 0; i < SIZE; i++)
		exprs[i] = expr_input(&p, source, i);
	uint32_t table = expr_table(&p, bytes, exprs, SIZE);
	slice_init(&s, &p);
	for (uint32_t i = 0; i < READS; i++) {
		uint32_t at = expr_make(&p, OP_ZEXT, 64, expr_input(&p, source, SIZE + i), 0, 0);
		add(&s, expr_eq(&p, expr_lookup(&p, 8, at, table), 1));
	}
	slice_related(&s, expr_eq(&p, expr_input(&p, source, 17), 3), &list);
	CHECK_INT(READS, list.n);
	slice_related(&s, expr_eq(&p, expr_input(&p, source, SIZE + READS), 3), &list);
	CHECK_INT(0, list.n);
	condition_list_release(&list);
	slice_release(&s);
	expr_pool_release(&p);
}

// Models of the parts are a model of all; a part is asked about only when the seed is not enough.
static void stage(void)
{
	struct small m;
	uint32_t answers[3] = {0}, fewer = 0;
	struct model model = {0};
	for (uint64_t round = 0; round < 1500; round++) {
		small_init(&m, 4, round);
		struct solver *next = small_solver(&m, round % 3 ? 0 : 4), *s = slice_new(&m.env, next);
		uint32_t conditions[6], n = 1 + random_below(&m.random, 6);
		for (uint32_t i = 0; i < n; i++)
			conditions[i] =
				small_condition(&m, random_below(&m.random, 3), 1 + random_below(&m.random, 2), 2);
		struct query q = {.conditions = conditions, .n = n, .seed = m.seed};
		struct model none = {0};
		bool seed_holds = small_holds(&m, &q, &none);
		enum answer expected = small_answer(&m, &q, NULL), a = solver_solve(s, &q, &model);
		answers[a]++;
		CHECK_THAT(a == expected || (a == ANSWER_UNKNOWN && round % 3 == 0), "round %llu",
		           (unsigned long long)round);
		if (a == ANSWER_UNKNOWN)
			CHECK_INT(SOLVER_CONFLICTS, m.env.reason);
		if (a == ANSWER_SAT)
			CHECK_THAT(small_holds(&m, &q, &model), "round %llu", (unsigned long long)round);
		if (seed_holds)
			CHECK_INT(0, next->answers[0] + next->answers[1] + next->answers[2]);
		fewer += seed_holds;
		// Variables that are not in the model may have any value.
		for (uint32_t i = 0; a == ANSWER_SAT && i < m.n_vars; i++)
			m.seed[i] = (uint8_t)random_below(&m.random, SMALL_VALUES);
		if (a == ANSWER_SAT)
			CHECK_THAT(small_holds(&m, &q, &model), "round %llu", (unsigned long long)round);
		solver_free(s);
		small_release(&m);
	}
	model_release(&model);
	CHECK(answers[ANSWER_UNSAT] > 100 && answers[ANSWER_SAT] > 100 && answers[ANSWER_UNKNOWN] > 20 && fewer > 50);
}

static bool same_model(const struct model *a, const struct model *b)
{
	bool same = a->n == b->n;
	for (uint32_t i = 0; same && i < a->n; i++)
		same = a->vars[i] == b->vars[i] && a->values[i] == b->values[i];
	return same;
}

// Queries of one path, which share their beginning, and of others between: the stage says what a new one does.
static void stage_along_paths(void)
{
	struct small m;
	struct model old = {0}, new = {0}, none = {0};
	uint32_t answers[3] = {0};
	for (uint64_t round = 0; round < 150; round++) {
		small_init(&m, 6, round);
		struct solver *s = slice_new(&m.env, small_solver(&m, 0));
		uint32_t conditions[MOST], n = 0;
		while (n + 1 < MOST / 2) {
			uint32_t c = small_condition(&m, random_below(&m.random, 3), 1 + random_below(&m.random, 2), 2);
			struct query q = {.conditions = &c, .n = 1, .seed = m.seed};
			bool holds = small_holds(&m, &q, &none);
			conditions[n] = holds ? expr_not(&m.pool, c) : c; // violated
			q = (struct query){.conditions = conditions, .n = n + 1, .seed = m.seed};
			struct solver *fresh = slice_new(&m.env, small_solver(&m, 0));
			enum answer a = solver_solve(s, &q, &old), b = solver_solve(fresh, &q, &new);
			solver_free(fresh);
			CHECK_THAT(a == b && a == small_answer(&m, &q, NULL), "round %llu", (unsigned long long)round);
			if (a == ANSWER_SAT)
				CHECK_THAT(same_model(&old, &new) && small_holds(&m, &q, &old), "round %llu",
				           (unsigned long long)round);
			answers[a]++;
			conditions[n++] = holds ? c : expr_not(&m.pool, c);
			if (random_below(&m.random, 8) == 0) { // of another path
				n--;
				conditions[random_below(&m.random, n + 1)] = conditions[n];
			}
		}
		solver_free(s);
		small_release(&m);
	}
	model_release(&old);
	model_release(&new);
	CHECK(answers[ANSWER_UNSAT] > 100 && answers[ANSWER_SAT] > 100);
}

static const struct test tests[] = {
	TEST(as_naive), TEST(questions_change_nothing), TEST(constants_do_not_join), TEST(deep_chains), TEST(tables),
	TEST(stage),    TEST(stage_along_paths),
};

TEST_MAIN("slice")
