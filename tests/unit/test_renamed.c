#include "solver/renamed.h"

#include <string.h>

#include "base/mem.h"
#include "expr/tape.h"
#include "small.h"
#include "test.h"

enum { VARS = 12, CONDITIONS = 4 };

// The expression with variable v in place of each variable u, v = to[u].
static uint32_t rename_vars(struct small *m, uint32_t id, const uint32_t *to)
{
	struct expr_pool *p = &m->pool;
	struct tape t;
	tape_init(&t, p);
	tape_add(&t, id);
	uint32_t n = t.n, *made = mem_zero((n + 1) * sizeof *made);
	for (uint32_t i = 0; i < n; i++) {
		const struct expr_node node = p->nodes[t.steps[i].id];
		const struct tape_step *s = &t.steps[i];
		unsigned operands = op_operands(node.op);
		if (node.op == OP_CONST) {
			made[i] = s->id;
		} else if (node.op == OP_INPUT) {
			made[i] = p->vars[to[s->a]].expr;
		} else if (node.op == OP_LOOKUP) {
			const struct expr_table table = p->tables[node.b];
			uint32_t exprs[SMALL_VALUES] = {0};
			for (uint32_t k = 0; table.exprs && k < table.size; k++)
				exprs[k] = table.exprs[k] ? made[t.step_of[table.exprs[k]] - 1] : 0;
			made[i] = expr_lookup(p, node.width, made[s->a],
			                      expr_table(p, table.bytes, table.exprs ? exprs : NULL, table.size));
		} else {
			made[i] = expr_make(p, node.op, node.width, made[s->a], operands > 1 ? made[s->b] : node.b,
			                    operands > 2 ? made[s->c] : node.c);
		}
	}
	uint32_t r = made[n - 1];
	mem_free(made);
	tape_release(&t);
	return r;
}

// One variable for each; `apart`: another one for each.
static void random_names(struct small *m, uint32_t *to, bool apart)
{
	for (uint32_t i = 0; i < VARS; i++)
		to[i] = i;
	for (uint32_t i = VARS; apart && i > 1; i--) {
		uint32_t k = random_below(&m->random, i), other = to[k];
		to[k] = to[i - 1];
		to[i - 1] = other;
	}
	for (uint32_t i = 0; !apart && i < VARS; i++)
		to[i] = random_below(&m->random, VARS);
}

static uint32_t random_query(struct small *m, uint32_t *conditions)
{
	uint32_t n = 1 + random_below(&m->random, CONDITIONS);
	for (uint32_t i = 0; i < n; i++)
		conditions[i] = small_condition(m, 0, 4, 1 + random_below(&m->random, 3));
	return n;
}

// The stage's answer is that of trying all values.
static enum answer ask(struct small *m, struct solver *s, const struct query *q, struct model *model)
{
	enum answer a = solver_solve(s, q, model);
	CHECK_INT(small_answer(m, q, NULL), a);
	CHECK(a != ANSWER_SAT || small_holds(m, q, model));
	return a;
}

static void renamed_queries(void)
{
	unsigned answers[3] = {0};
	for (uint64_t seed = 0; seed < 5; seed++) {
		struct small m;
		struct model model = {0};
		small_init(&m, VARS, seed);
		struct solver *s = renamed_new(&m.env, small_solver(&m, 0));
		for (int round = 0; round < 50; round++) {
			uint32_t conditions[CONDITIONS], others[CONDITIONS], to[VARS], n = random_query(&m, conditions);
			struct query q = {.conditions = conditions, .n = n, .seed = m.seed};
			ask(&m, s, &q, &model);
			for (int k = 0; k < 3; k++) {
				bool apart = k < 2; // else, bytes may become one, and that is another query
				random_names(&m, to, apart);
				for (uint32_t i = 0; i < n; i++)
					others[i] = rename_vars(&m, conditions[i], to);
				struct query other = {.conditions = others, .n = n, .seed = m.seed};
				struct renamed_counts before = renamed_counts(s);
				answers[ask(&m, s, &other, &model)]++;
				CHECK_THAT(!apart || renamed_counts(s).missed == before.missed, "seed %d, round %d",
				           (int)seed, round);
			}
		}
		solver_free(s);
		model_release(&model);
		small_release(&m);
	}
	CHECK_THAT(answers[ANSWER_SAT] > 100 && answers[ANSWER_UNSAT] > 100, "%u sat, %u unsat", answers[ANSWER_SAT],
	           answers[ANSWER_UNSAT]);
}

// Queries that only look alike: another constant, entry of a table, order of operands, byte twice.
static void similar_queries(void)
{
	struct small m;
	struct model model = {0};
	small_init(&m, VARS, 1);
	struct expr_pool *p = &m.pool;
	struct solver *s = renamed_new(&m.env, small_solver(&m, 0));
	uint32_t x = m.bits[0], y = m.bits[1], at = expr_make(p, OP_ZEXT, 64, x, 0, 0);
	const uint8_t bytes[][4] = {{1, 2, 3, 4}, {1, 2, 3, 5}};
	uint32_t entries[] = {0, 0, 0, p->vars[1].expr}, swapped[] = {0, 0, p->vars[1].expr, 0};
	const uint32_t made[] = {
		expr_eq(p, x, 1),
		expr_eq(p, x, 2),
		expr_make(p, OP_ULT, 1, x, y, 0),
		expr_make(p, OP_ULT, 1, x, x, 0),
		expr_make(p, OP_ULE, 1, x, y, 0),
		expr_eq(p, expr_make(p, OP_EXTRACT, 3, p->vars[0].expr, 1, 0), 1),
		expr_eq(p, expr_make(p, OP_EXTRACT, 3, p->vars[0].expr, 2, 0), 1),
		expr_eq(p, expr_lookup(p, 8, at, expr_table(p, bytes[0], NULL, 4)), 5),
		expr_eq(p, expr_lookup(p, 8, at, expr_table(p, bytes[1], NULL, 4)), 5),
		expr_eq(p, expr_lookup(p, 8, at, expr_table(p, bytes[0], entries, 4)), 5),
		expr_eq(p, expr_lookup(p, 8, at, expr_table(p, bytes[0], swapped, 4)), 5),
	};
	for (uint32_t i = 0; i < COUNT(made); i++) {
		struct query q = {.conditions = &made[i], .n = 1, .seed = m.seed};
		solver_solve(s, &q, &model);
		CHECK_THAT(renamed_counts(s).missed == i + 1, "%u", i);
	}
	const uint32_t both[][2] = {{made[2], expr_make(p, OP_ULT, 1, y, x, 0)},
	                            {made[2], expr_make(p, OP_ULT, 1, m.bits[2], x, 0)}};
	for (uint32_t i = 0; i < COUNT(both); i++) {
		struct query q = {.conditions = both[i], .n = 2, .seed = m.seed};
		CHECK_INT(i ? ANSWER_SAT : ANSWER_UNSAT, ask(&m, s, &q, &model));
	}
	solver_free(s);
	model_release(&model);
	small_release(&m);
}

// Of a solution for other bytes, only what it changed is taken, if that will do.
static void near_the_seed(void)
{
	struct small m;
	struct model model = {0};
	small_init(&m, VARS, 1);
	struct expr_pool *p = &m.pool;
	struct solver *s = renamed_new(&m.env, small_solver(&m, 0));
	memset(m.seed, 0, sizeof m.seed);
	m.seed[2] = 6;
	for (uint32_t i = 0; i < 4; i += 2) {
		uint32_t conditions[] = {expr_make(p, OP_ULE, 1, expr_const(p, 3, 0), m.bits[i], 0),
		                         expr_eq(p, m.bits[i + 1], 5)};
		struct query q = {.conditions = conditions, .n = 2, .seed = m.seed};
		CHECK_INT(ANSWER_SAT, ask(&m, s, &q, &model));
		for (uint32_t k = 0; k < model.n; k++)
			CHECK_INT(model.vars[k] == i ? m.seed[i] : 5, model.values[k]);
	}
	CHECK_INT(1, renamed_counts(s).sat);
	solver_free(s);
	model_release(&model);
	small_release(&m);
}

static void memory(void)
{
	struct small m;
	struct model model = {0};
	small_init(&m, VARS, 3);
	m.env.bytes = 40000;
	struct solver *s = renamed_new(&m.env, small_solver(&m, 5)); // unknown is not kept
	uint64_t most = 0;
	for (int round = 0; round < 2000; round++) {
		uint32_t conditions[CONDITIONS], n = random_query(&m, conditions);
		struct query q = {.conditions = conditions, .n = n, .seed = m.seed};
		solver_solve(s, &q, &model);
		CHECK_THAT(renamed_bytes(s) <= m.env.bytes, "%zu", renamed_bytes(s));
		most = renamed_counts(s).entries > most ? renamed_counts(s).entries : most;
	}
	CHECK_THAT(most > 100 && renamed_counts(s).entries < 2000, "%llu", (unsigned long long)most);
	solver_free(s);
	model_release(&model);
	small_release(&m);
}

// The stage before it: what some of the conditions say is said of all.
static void local_queries(void)
{
	unsigned answers[3] = {0};
	for (uint64_t seed = 0; seed < 5; seed++) {
		struct small m;
		struct model model = {0};
		small_init(&m, VARS, seed);
		struct solver *s = local_new(&m.env, small_solver(&m, seed % 3 ? 0 : 4));
		for (int round = 0; round < 100; round++) {
			uint32_t conditions[8], n = 2 + random_below(&m.random, 7);
			for (uint32_t i = 0; i < n; i++)
				conditions[i] = small_condition(&m, random_below(&m.random, 3),
				                                1 + random_below(&m.random, 2), 1);
			struct query q = {.conditions = conditions, .n = n, .seed = m.seed};
			enum answer a = solver_solve(s, &q, &model);
			answers[a]++;
			CHECK(a == ANSWER_UNKNOWN || a == small_answer(&m, &q, NULL));
			CHECK(a != ANSWER_SAT || small_holds(&m, &q, &model));
		}
		solver_free(s);
		model_release(&model);
		small_release(&m);
	}
	for (int a = 0; a < 3; a++)
		CHECK_THAT(answers[a] > 20, "%d: %u", a, answers[a]);
}

// A large rest that shares a byte is not asked about when the bytes of the branch say enough.
static void local_refutation(void)
{
	struct small m;
	struct model model = {0};
	small_init(&m, VARS, 1);
	struct expr_pool *p = &m.pool;
	struct solver *renamed = renamed_new(&m.env, small_solver(&m, 0)), *s = local_new(&m.env, renamed);
	memset(m.seed, 1, sizeof m.seed);
	for (uint32_t i = 1; i < 9; i++) {
		uint32_t conditions[] = {expr_make(p, OP_ULT, 1, expr_const(p, 3, 0), m.bits[i], 0),
		                         expr_make(p, OP_ULE, 1, m.bits[i], m.bits[i + 1], 0),
		                         expr_make(p, OP_ULE, 1, m.bits[0], m.bits[i % 3 + 1], 0),
		                         expr_eq(p, m.bits[i], 0)};
		struct query q = {.conditions = conditions, .n = 4, .seed = m.seed};
		CHECK_INT(ANSWER_UNSAT, ask(&m, s, &q, &model));
		CHECK_INT(1, renamed_counts(renamed).missed);
	}
	solver_free(s);
	model_release(&model);
	small_release(&m);
}

static const struct test tests[] = {
	TEST(renamed_queries), TEST(similar_queries), TEST(near_the_seed),
	TEST(memory),          TEST(local_queries),   TEST(local_refutation),
};

TEST_MAIN("renamed")
