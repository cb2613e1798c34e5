#include "base/mem.h"
#include "small.h"
#include "solver/cache.h"
#include "test.h"

enum { CONDITIONS = 24, LONGEST = 8 };

struct paths {
	struct small small;
	uint32_t pool[CONDITIONS]; // queries are made of these
	uint32_t query[LONGEST], n;
	struct model model;
};

static void start_paths(struct paths *p, uint64_t round)
{
	*p = (struct paths){0};
	small_init(&p->small, 3, round);
	for (uint32_t i = 0; i < CONDITIONS; i++)
		p->pool[i] = small_condition(&p->small, 0, 3, 2);
}

static void end_paths(struct paths *p)
{
	model_release(&p->model);
	small_release(&p->small);
}

// Related to the one before: grows, shrinks, has a condition negated, or starts anew.
static void next_query(struct paths *p)
{
	uint64_t *r = &p->small.random;
	uint32_t kind = random_below(r, 8), c = p->pool[random_below(r, CONDITIONS)];
	if (kind == 0 || p->n == LONGEST)
		p->n = 0;
	if (kind == 1 && p->n > 1) {
		p->n--;
		p->query[random_below(r, p->n + 1)] = p->query[p->n];
	} else if (kind == 2 && p->n)
		p->query[p->n - 1] = expr_not(&p->small.pool, p->query[p->n - 1]);
	else
		p->query[p->n++] = c;
}

static void check_answer(struct paths *p, struct solver *s, bool unknowns)
{
	struct query q = {.conditions = p->query, .n = p->n, .seed = p->small.seed};
	enum answer expected = small_answer(&p->small, &q, NULL), a = solver_solve(s, &q, &p->model);
	CHECK(a == expected || (unknowns && a == ANSWER_UNKNOWN));
	if (a != ANSWER_SAT)
		return;
	CHECK(small_holds(&p->small, &q, &p->model));
	uint8_t other[SMALL_VARS]; // variables that are not in the model may have any value
	for (uint32_t i = 0; i < SMALL_VARS; i++)
		other[i] = (uint8_t)random_below(&p->small.random, 256);
	q.seed = other;
	CHECK(small_holds(&p->small, &q, &p->model));
}

static uint64_t asked(const struct solver *s)
{
	return s->answers[0] + s->answers[1] + s->answers[2];
}

static void same_answers(void)
{
	struct paths p;
	struct cache_counts all = {0};
	for (uint64_t round = 0; round < 16; round++) {
		start_paths(&p, round);
		bool unknowns = round % 4 == 0;
		p.small.env.bytes = round % 2 ? 64 << 10 : 0;
		struct solver *next = small_solver(&p.small, unknowns ? 5 : 0), *s = cache_new(&p.small.env, next);
		for (uint32_t i = 0; i < 300; i++) {
			next_query(&p);
			for (uint32_t k = 0; i % 50 == 0 && k < p.small.n_vars; k++) // another path, another seed
				p.small.seed[k] = (uint8_t)random_below(&p.small.random, SMALL_VALUES);
			check_answer(&p, s, unknowns);
			CHECK(!p.small.env.bytes || cache_bytes(s) <= p.small.env.bytes);
		}
		struct cache_counts c = cache_counts(s);
		CHECK_INT(asked(next), c.missed);
		CHECK_INT(300, c.exact + c.subset + c.superset + c.reused + c.missed);
		all.exact += c.exact;
		all.subset += c.subset;
		all.superset += c.superset;
		all.reused += c.reused;
		solver_free(s);
		end_paths(&p);
	}
	CHECK(all.exact > 200 && all.subset > 200 && all.superset > 10 && all.reused > 200);
}

// --- one kind after the other --------------------------------------------------------------------

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

static void each_kind(void)
{
	struct small m;
	small_init(&m, 2, 1);
	m.seed[0] = m.seed[1] = 0;
	struct solver *next = small_solver(&m, 0), *s = cache_new(&m.env, next);
	uint32_t a = expr_eq(&m.pool, m.bits[0], 3), b = expr_eq(&m.pool, m.bits[1], 4), not_a = expr_not(&m.pool, a);
	uint32_t above = expr_make(&m.pool, OP_ULT, 1, expr_const(&m.pool, 3, 2), m.bits[0], 0);

	CHECK_INT(ANSWER_UNSAT, ask(&m, s, (uint32_t[]){a, not_a}, 2));
	CHECK_INT(1, cache_counts(s).missed);
	CHECK_INT(ANSWER_UNSAT, ask(&m, s, (uint32_t[]){not_a, a, a}, 3)); // a set: order and repetition are nothing
	CHECK_INT(1, cache_counts(s).exact);
	CHECK_INT(ANSWER_UNSAT, ask(&m, s, (uint32_t[]){not_a, b, a}, 3));
	CHECK_INT(1, cache_counts(s).subset);
	CHECK_INT(ANSWER_SAT, ask(&m, s, (uint32_t[]){a, b}, 2));
	CHECK_INT(ANSWER_SAT, ask(&m, s, &b, 1));
	CHECK_INT(1, cache_counts(s).superset);
	CHECK_INT(ANSWER_SAT, ask(&m, s, &above, 1)); // a model of something else
	CHECK_INT(1, cache_counts(s).reused);
	CHECK_INT(2, cache_counts(s).missed);
	CHECK_INT(2, asked(next));
	solver_free(s);
	small_release(&m);
}

static void unknown_is_not_kept(void)
{
	struct small m;
	small_init(&m, 1, 1);
	m.seed[0] = 0;
	struct solver *next = small_solver(&m, 1), *s = cache_new(&m.env, next); // all unknown
	uint32_t a = expr_eq(&m.pool, m.bits[0], 3);
	CHECK_INT(ANSWER_UNKNOWN, ask(&m, s, &a, 1));
	CHECK_INT(SOLVER_CONFLICTS, m.env.reason);
	CHECK_INT(ANSWER_UNKNOWN, ask(&m, s, &a, 1));
	CHECK_INT(2, asked(next));
	CHECK_INT(0, cache_counts(s).entries);
	solver_free(s);
	small_release(&m);
}

// --- many ----------------------------------------------------------------------------------------

// Answers by the newest condition, without looking.
static enum answer by_parity(struct solver *solver, const struct query *q, struct model *ret)
{
	model_clear(ret);
	model_add(ret, 0, 255);
	return q->conditions[q->n - 1] % 2 ? ANSWER_SAT : ANSWER_UNSAT;
}

static void release_nothing(struct solver *solver)
{
}

// Very many entries under conditions that many share (a slow index would show): memory stays bounded, and what was
// asked lately is still there.
static void many_entries(void)
{
	enum { MANY = 150000, SHARED = 50 };
	static const struct solver_type type = {"parity", by_parity, release_nothing};
	struct expr_pool p;
	expr_pool_init(&p);
	struct solver_env env = {.pool = &p, .bytes = 16 << 20};
	uint32_t byte = expr_input(&p, expr_source(&p, input_source(INPUT_STDIN, INPUT_BYTES, 0, "")), 0);
	uint32_t word = expr_make(&p, OP_ZEXT, 32, byte, 0, 0), conditions[SHARED + 1];
	for (uint32_t i = 0; i < SHARED; i++)
		conditions[i] = expr_make(&p, OP_ULT, 1, word, expr_const(&p, 32, 1000 + i), 0);
	struct solver *s = cache_new(&env, solver_new(&type, sizeof(struct solver), &env, NULL));
	struct model m = {0};
	uint8_t seed = 0;
	for (uint32_t i = 0; i < MANY; i++) {
		uint32_t k = i % SHARED;
		conditions[SHARED] = expr_not(&p, expr_eq(&p, word, i + 300)); // true, but the oracle says what it says
		struct query q = {.conditions = conditions + SHARED - k, .n = k + 1, .seed = &seed};
		solver_ask(s, &q, &m);
		CHECK(cache_bytes(s) <= env.bytes);
	}
	struct query q = {.conditions = conditions + SHARED, .n = 1, .seed = &seed};
	uint64_t missed = cache_counts(s).missed;
	solver_ask(s, &q, &m);
	solver_ask(s, &q, &m);
	CHECK(cache_counts(s).missed <= missed + 1);
	CHECK(cache_counts(s).dropped > 0 && cache_counts(s).entries > 1000);
	model_release(&m);
	solver_free(s);
	expr_pool_release(&p);
}

// A set that does not fit by itself.
static void too_large(void)
{
	enum { N = 5000 };
	struct small m;
	small_init(&m, 1, 1);
	m.env.bytes = 64 << 10;
	struct solver *s = cache_new(&m.env, small_solver(&m, 0));
	uint32_t *conditions = mem_alloc(N * sizeof *conditions);
	for (uint32_t i = 0; i < N; i++)
		conditions[i] =
			expr_not(&m.pool, expr_eq(&m.pool, expr_make(&m.pool, OP_ZEXT, 32, m.bits[0], 0, 0), i + 7));
	CHECK_INT(ANSWER_SAT, ask(&m, s, conditions, N));
	CHECK_INT(0, cache_counts(s).entries);
	CHECK_INT(ANSWER_SAT, ask(&m, s, conditions, 10));
	CHECK_INT(1, cache_counts(s).entries);
	CHECK(cache_bytes(s) <= m.env.bytes);
	mem_free(conditions);
	solver_free(s);
	small_release(&m);
}

static const struct test tests[] = {
	TEST(same_answers), TEST(each_kind), TEST(unknown_is_not_kept), TEST(many_entries), TEST(too_large),
};

TEST_MAIN("answers")
