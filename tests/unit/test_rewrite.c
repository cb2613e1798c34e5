#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "expr/tape.h"
#include "small.h"
#include "solver/rewrite.h"
#include "test.h"

// The fallback of this program, in place of the library's: no bug is to be hidden by Z3 here.
static struct small *fallback;
static unsigned fallbacks;

struct solver *z3_new(struct solver_env *env)
{
	fallbacks++;
	return small_solver(fallback, 0);
}

// Looks at what the stage passes on: simple, sorted, each once; then answers, or lies.
struct looking {
	struct solver solver;
	struct small *small;
	uint32_t n; // conditions of the last query
	bool lies;  // hands out what is no model
};

static enum answer look(struct solver *solver, const struct query *q, struct model *ret)
{
	struct looking *l = (struct looking *)solver;
	l->n = q->n;
	for (uint32_t i = 0; i < q->n; i++) {
		const struct expr_node *n = &l->small->pool.nodes[q->conditions[i]];
		CHECK(n->op != OP_AND && n->op != OP_CONST);
		CHECK(!i || q->conditions[i - 1] < q->conditions[i]);
		CHECK(n->op != OP_NOT || l->small->pool.nodes[n->a].op != OP_OR);
	}
	enum answer a = small_answer(l->small, q, ret);
	if (!l->lies)
		return a;
	model_clear(ret);
	for (uint32_t i = 0; i < l->small->n_vars; i++)
		model_add(ret, i, 0);
	return ANSWER_SAT;
}

static void release_nothing(struct solver *solver)
{
}

static struct looking *looking_new(struct small *m)
{
	static const struct solver_type type = {"looking", look, release_nothing};
	struct looking *l = solver_new(&type, sizeof *l, &m->env, NULL);
	l->small = m;
	return l;
}

static void same_answers(void)
{
	struct small m;
	struct model model = {0};
	uint32_t answers[3] = {0};
	for (uint64_t round = 0; round < 60; round++) {
		small_init(&m, 3, round);
		struct solver *s = rewrite_new(&m.env, &looking_new(&m)->solver);
		for (uint32_t i = 0; i < 20; i++) {
			uint32_t conditions[5], n = 1 + random_below(&m.random, 5);
			for (uint32_t k = 0; k < n; k++)
				conditions[k] = small_condition(&m, 0, 3, 3);
			struct query q = {.conditions = conditions, .n = n, .seed = m.seed};
			enum answer expected = small_answer(&m, &q, NULL), a = solver_solve(s, &q, &model);
			CHECK_INT(expected, a);
			answers[a]++;
			CHECK(a != ANSWER_SAT || small_holds(&m, &q, &model));
		}
		CHECK_INT(0, rewrite_wrong_models(s));
		solver_free(s);
		small_release(&m);
	}
	model_release(&model);
	CHECK(answers[ANSWER_SAT] > 100 && answers[ANSWER_UNSAT] > 100);
}

static enum answer ask(struct small *m, struct solver *s, const uint32_t *conditions, uint32_t n)
{
	struct model model = {0};
	struct query q = {.conditions = conditions, .n = n, .seed = m->seed};
	enum answer a = solver_solve(s, &q, &model);
	bool wrong = a == ANSWER_SAT && !small_holds(m, &q, &model);
	model_release(&model);
	CHECK(!wrong);
	return a;
}

static uint64_t own(const struct solver *s)
{
	return s->own[0] + s->own[1];
}

// What needs no solver.
static void decided(void)
{
	struct small m;
	small_init(&m, 3, 1);
	struct expr_pool *p = &m.pool;
	struct solver *s = rewrite_new(&m.env, &looking_new(&m)->solver);
	uint32_t a = expr_eq(p, m.bits[0], 1), b = expr_eq(p, m.bits[1], 2), c = expr_eq(p, m.bits[2], 3);
	uint32_t yes = expr_const(p, 1, 1), no = expr_const(p, 1, 0), or = expr_make(p, OP_OR, 1, a, b, 0);

	CHECK_INT(ANSWER_SAT, ask(&m, s, NULL, 0));
	CHECK_INT(ANSWER_SAT, ask(&m, s, &yes, 1));
	CHECK_INT(ANSWER_UNSAT, ask(&m, s, (uint32_t[]){a, no, b}, 3));
	CHECK_INT(ANSWER_UNSAT, ask(&m, s, (uint32_t[]){a, b, expr_not(p, a)}, 3));
	CHECK_INT(ANSWER_UNSAT, ask(&m, s, (uint32_t[]){expr_not(p, a), b, a}, 3));
	CHECK_INT(ANSWER_UNSAT, ask(&m, s, (uint32_t[]){expr_not(p, or), b}, 2));
	CHECK_INT(ANSWER_UNSAT, ask(&m, s, (uint32_t[]){expr_make(p, OP_AND, 1, c, a, 0), expr_not(p, or)}, 2));
	CHECK_INT(7, own(s));
	CHECK_INT(ANSWER_SAT, ask(&m, s, (uint32_t[]){a, expr_make(p, OP_AND, 1, c, a, 0), yes, a}, 4));
	CHECK_INT(2, ((struct looking *)s->next)->n);
	solver_free(s);
	small_release(&m);
}

// A wrong model is found, counted, and another solver's is handed out.
static void wrong_models(void)
{
	struct small m;
	small_init(&m, 2, 1);
	m.env.strict = false;
	fallback = &m;
	fallbacks = 0;
	struct looking *l = looking_new(&m);
	struct solver *s = rewrite_new(&m.env, &l->solver);
	l->lies = true;
	uint32_t a = expr_eq(&m.pool, m.bits[0], 1), b = expr_eq(&m.pool, m.bits[0], 2);
	CHECK_INT(ANSWER_SAT, ask(&m, s, &a, 1));
	CHECK_INT(1, rewrite_wrong_models(s));
	CHECK_INT(ANSWER_UNSAT, ask(&m, s, (uint32_t[]){a, b}, 2));
	CHECK_INT(2, rewrite_wrong_models(s));
	CHECK_INT(1, fallbacks);
	solver_free(s);
	small_release(&m);
}

static void aborted(int signal_number)
{
	_exit(3);
}

static int be_strict(void *opaque)
{
	struct small m;
	signal(SIGABRT, aborted);
	small_init(&m, 1, 1);
	struct looking *l = looking_new(&m);
	struct solver *s = rewrite_new(&m.env, &l->solver);
	l->lies = true;
	uint32_t a = expr_eq(&m.pool, m.bits[0], 1);
	ask(&m, s, &a, 1);
	return 0;
}

static void strict_aborts(void)
{
	test_child(be_strict, NULL, 3);
}

// A conjunction of very many, as a switch makes them.
static void long_conjunction(void)
{
	enum { MANY = 100000 };
	struct small m;
	small_init(&m, 1, 1);
	struct expr_pool *p = &m.pool;
	struct looking *l = looking_new(&m);
	struct solver *s = rewrite_new(&m.env, &l->solver);
	uint32_t word = expr_make(p, OP_ZEXT, 32, m.bits[0], 0, 0), all = expr_const(p, 1, 1);
	for (uint32_t i = 0; i < MANY; i++)
		all = expr_make(p, OP_AND, 1, all, expr_not(p, expr_eq(p, word, 2 * i)), 0);
	CHECK_INT(ANSWER_SAT, ask(&m, s, &all, 1));
	CHECK(l->n <= MANY);
	solver_free(s);
	small_release(&m);
}

// The stages together, on paths: each condition added, and its opposite asked for.
static void chain(void)
{
	enum { LONGEST = 12 };
	struct small m;
	struct model model = {0};
	uint32_t answers[3] = {0};
	for (uint64_t round = 0; round < 16; round++) {
		small_init(&m, 4, round);
		struct solver *s = cache_new(&m.env, small_solver(&m, 0));
		s = rewrite_new(&m.env, near_new(&m.env, slice_new(&m.env, s)));
		for (uint32_t path = 0; path < 3; path++) {
			uint32_t conditions[LONGEST];
			for (uint32_t i = 0; i < LONGEST; i++) {
				uint32_t c = small_condition(&m, random_below(&m.random, 3), 2, 2);
				c = expr_eval(&m.pool, c, m.seed) ? c : expr_not(&m.pool, c);
				conditions[i] = expr_not(&m.pool, c);
				struct query q = {.conditions = conditions, .n = i + 1, .seed = m.seed};
				enum answer expected = small_answer(&m, &q, NULL), a = solver_solve(s, &q, &model);
				CHECK_INT(expected, a);
				answers[a]++;
				CHECK(a != ANSWER_SAT || small_holds(&m, &q, &model));
				conditions[i] = c;
			}
			for (uint32_t i = 0; i < m.n_vars; i++)
				m.seed[i] = (uint8_t)random_below(&m.random, SMALL_VALUES);
		}
		CHECK_INT(0, rewrite_wrong_models(s));
		solver_free(s);
		small_release(&m);
	}
	model_release(&model);
	CHECK(answers[ANSWER_SAT] > 80 && answers[ANSWER_UNSAT] > 80);
}

static const struct test tests[] = {
	TEST(same_answers), TEST(decided), TEST(wrong_models), TEST(strict_aborts), TEST(long_conjunction), TEST(chain),
};

TEST_MAIN("rewrite")
