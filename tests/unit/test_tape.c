#include "expr/tape.h"

#include "query.h"
#include "test.h"

enum { ROOTS = 12 };

static eval_value naive(const struct expr_pool *p, uint32_t id, const uint8_t *bytes);

static eval_value naive_lookup(const struct expr_pool *p, const struct expr_node *n, const uint8_t *bytes)
{
	const struct expr_table *t = &p->tables[n->b];
	eval_value at = naive(p, n->a, bytes), r = 0; // of 64 bits: no offset wraps around here
	for (unsigned k = n->width / 8u; k-- > 0;) {
		uint8_t byte = 0;
		if (at + k < t->size) {
			uint32_t e = t->exprs ? t->exprs[at + k] : 0;
			byte = e ? (uint8_t)naive(p, e, bytes) : t->bytes[at + k];
		}
		r = r << 8 | byte;
	}
	return r;
}

// From the root down, every time anew.
static eval_value naive(const struct expr_pool *p, uint32_t id, const uint8_t *bytes)
{
	const struct expr_node *n = &p->nodes[id];
	unsigned operands = op_operands(n->op);
	struct trace_node node = {.op = n->op, .width = n->width, .a = n->a, .b = n->b, .c = n->c};
	if (n->op == OP_CONST)
		return expr_value(p, id);
	if (n->op == OP_INPUT)
		return bytes[n->b]; // one source: the variable is the offset
	if (n->op == OP_LOOKUP)
		return naive_lookup(p, n, bytes);
	eval_value a = naive(p, n->a, bytes);
	eval_value b = operands > 1 ? naive(p, n->b, bytes) : 0, c = operands > 2 ? naive(p, n->c, bytes) : 0;
	return eval_node(&node, expr_width(p, n->a), a, b, c, operands > 1 ? expr_width(p, n->b) : 0);
}

static void random_bytes(struct generator *g)
{
	for (unsigned i = 0; i < QUERY_BYTES; i++)
		g->bytes[i] = (uint8_t)generator_number(g, 8);
}

static uint32_t random_expr(struct generator *g)
{
	unsigned width = random_below(&g->random, 3) ? 1 + random_below(&g->random, 64) : 1;
	return random_below(&g->random, 8) ? generator_expr(g, width, 4) : generator_float(g, 64, 2);
}

static void check_values(const struct tape *t, const uint32_t *roots, const uint32_t *steps, const uint8_t *bytes,
                         int round)
{
	for (unsigned i = 0; i < ROOTS; i++)
		CHECK_THAT(t->values[steps[i]] == naive(t->pool, roots[i], bytes), "round %d, root %u", round, i);
}

// One tape for all rounds, so that it is cleared again and again while the pool grows.
static void same_as_naive(void)
{
	struct expr_pool p;
	struct generator g;
	struct tape t;
	uint64_t seen = 0, lookups = 0;
	expr_pool_init(&p);
	generator_init(&g, &p, 1, QUERY_BYTES);
	g.floats = true;
	tape_init(&t, &p);
	for (int round = 0; round < 150; round++) {
		uint32_t roots[ROOTS], steps[ROOTS];
		tape_clear(&t);
		CHECK(t.n == 0 && t.n_vars == 0);
		for (unsigned i = 0; i < ROOTS; i++) {
			roots[i] = random_expr(&g);
			steps[i] = tape_add(&t, roots[i]);
			CHECK_INT(steps[i], tape_add(&t, roots[i]));
			CHECK_INT(roots[i], t.steps[steps[i]].id);
		}
		for (int k = 0; k < 3; k++) {
			random_bytes(&g);
			tape_load(&t, g.bytes);
			tape_run(&t);
			check_values(&t, roots, steps, g.bytes, round);
			CHECK(expr_eval(&p, roots[k], g.bytes) == t.values[steps[k]]);
		}
		for (uint32_t i = 0; i < t.n; i++) {
			CHECK_INT(i, t.step_of[t.steps[i].id] - 1);
			lookups += t.steps[i].node.op == OP_LOOKUP;
		}
		seen += t.n;
	}
	CHECK(seen > 10000 && lookups > 100);
	tape_release(&t);
	expr_pool_release(&p);
}

// To change one variable after the other gives what everything anew gives.
static void focus(void)
{
	struct expr_pool p;
	struct generator g;
	struct tape t;
	uint64_t less = 0;
	expr_pool_init(&p);
	generator_init(&g, &p, 2, QUERY_BYTES);
	tape_init(&t, &p);
	for (int round = 0; round < 100; round++) {
		uint32_t roots[ROOTS], steps[ROOTS];
		tape_clear(&t);
		for (unsigned i = 0; i < ROOTS; i++) {
			roots[i] = random_expr(&g);
			steps[i] = tape_add(&t, roots[i]);
		}
		random_bytes(&g);
		tape_load(&t, g.bytes);
		tape_run(&t);
		for (uint32_t v = 0; v < t.n_vars; v++) {
			uint32_t var = t.vars[v];
			tape_focus(&t, var);
			less += t.n - t.n_focus;
			for (int k = 0; k < 4; k++) {
				g.bytes[var] = (uint8_t)random_next(&g.random); // the last one stays
				tape_try(&t, g.bytes[var]);
				check_values(&t, roots, steps, g.bytes, round);
			}
		}
	}
	CHECK(less > 10000); // it does less than all
	tape_release(&t);
	expr_pool_release(&p);
}

// Whatever was changed in between, and whatever of the tape was cut and added: a run gives what everything anew gives.
static void changed_in_between(void)
{
	struct expr_pool p;
	struct generator g;
	struct tape t;
	uint64_t fewer = 0;
	expr_pool_init(&p);
	generator_init(&g, &p, 3, QUERY_BYTES);
	g.floats = true;
	tape_init(&t, &p);
	uint32_t roots[ROOTS], steps[ROOTS], from[ROOTS], n = 0;
	random_bytes(&g);
	for (int round = 0; round < 4000; round++) {
		unsigned what = random_below(&g.random, 6);
		if (what == 0 && n) {
			n = random_below(&g.random, n);
			tape_cut(&t, from[n]);
		} else if (what == 1 && t.n) { // of a step that is computed
			uint32_t step = random_below(&g.random, t.n);
			if (op_operands(t.steps[step].node.op))
				tape_put(&t, step, random_next(&g.random));
		} else if (what == 2 && t.n_vars) {
			uint32_t var = t.vars[random_below(&g.random, t.n_vars)];
			tape_load(&t, g.bytes);
			tape_run(&t);
			tape_focus(&t, var);
			tape_try(&t, g.bytes[var] = (uint8_t)random_next(&g.random));
		} else if (what == 3) {
			random_bytes(&g);
		} else if (n < ROOTS) {
			from[n] = t.n;
			roots[n] = random_expr(&g);
			steps[n] = tape_add(&t, roots[n]);
			n++;
		}
		tape_load(&t, g.bytes);
		for (uint32_t i = 0; i < t.n_vars && what == 5; i++)
			tape_set(&t, t.vars[i], g.bytes[t.vars[i]] = (uint8_t)random_next(&g.random));
		fewer += t.current;
		tape_run(&t);
		for (unsigned i = 0; i < n; i++)
			CHECK_THAT(t.values[steps[i]] == naive(&p, roots[i], g.bytes), "round %d, root %u", round, i);
	}
	CHECK(fewer > 10000);
	tape_release(&t);
	expr_pool_release(&p);
}

static void single_variables(void)
{
	struct expr_pool p;
	struct tape t;
	expr_pool_init(&p);
	uint32_t s = expr_source(&p, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "x")), x = expr_input(&p, s, 0),
		 y = expr_input(&p, s, 1);
	uint32_t z = expr_input(&p, s, 2), sum = expr_make(&p, OP_ADD, 8, x, z, 0);
	tape_init(&t, &p);
	CHECK(!tape_has(&t, 0)); // before anything is on it
	uint32_t step = tape_add(&t, sum);
	CHECK(tape_has(&t, 0) && !tape_has(&t, 1) && tape_has(&t, 2));
	CHECK_INT(2, t.n_vars);
	tape_load(&t, (const uint8_t[]){1, 99, 5});
	tape_set(&t, 2, 250);
	tape_run(&t);
	CHECK_INT(251, t.values[step]);
	tape_set(&t, 0, 10);
	tape_run(&t);
	CHECK_INT(4, t.values[step]);
	uint32_t other = tape_add(&t, expr_make(&p, OP_SUB, 8, sum, y, 0)); // more of it, later
	CHECK(tape_has(&t, 1) && step != other);
	tape_set(&t, 1, 3);
	tape_run(&t);
	CHECK_INT(1, t.values[other]);
	tape_clear(&t);
	CHECK(!tape_has(&t, 0) && !tape_has(&t, 1) && !tape_has(&t, 2));
	step = tape_add(&t, y);
	tape_set(&t, 1, 77);
	tape_run(&t);
	CHECK(t.n == 1 && t.values[step] == 77);
	tape_release(&t);
	expr_pool_release(&p);
}

// Behind the end of a table there are zeros, also when the offset nearly overflows.
static void table_ends(void)
{
	static const struct {
		int8_t at; // sign-extended
		uint32_t expected;
	} cases[] = {{0, 0x63006100}, {1, 0x00630061}, {3, 0x63}, {4, 0}, {-1, 0}, {-3, 0}, {-128, 0}, {127, 0}};
	struct expr_pool p;
	expr_pool_init(&p);
	uint32_t s = expr_source(&p, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "x")), x = expr_input(&p, s, 0),
		 y = expr_input(&p, s, 1);
	const uint32_t exprs[] = {y, 0, expr_const(&p, 8, 0), 0};
	uint32_t table = expr_table(&p, (const uint8_t *)"?a?c", exprs, 4);
	uint32_t e = expr_lookup(&p, 32, expr_make(&p, OP_SEXT, 64, x, 0, 0), table);
	for (size_t i = 0; i < COUNT(cases); i++) {
		const uint8_t bytes[] = {(uint8_t)cases[i].at, 0};
		CHECK_THAT(expr_eval(&p, e, bytes) == cases[i].expected, "case %zu: %x", i,
		           (unsigned)expr_eval(&p, e, bytes));
	}
	CHECK_INT(0x63006142, expr_eval(&p, e, (const uint8_t[]){0, 0x42}));
	expr_pool_release(&p);
}

// A chain as deep as it has nodes, on `y` at every second of them.
static uint32_t chain(struct expr_pool *p, uint32_t n, uint32_t x, uint32_t y)
{
	uint32_t e = x;
	for (uint32_t i = 0; i < n; i++)
		e = i % 2 ? expr_make(p, OP_ADD, 8, e, y, 0) : expr_make(p, OP_XOR, 8, y, e, 0);
	return e;
}

static uint8_t chain_value(uint32_t n, uint8_t x, uint8_t y)
{
	for (uint32_t i = 0; i < n; i++)
		x = (uint8_t)(i % 2 ? x + y : x ^ y);
	return x;
}

static void deep(void)
{
	enum { DEPTH = 200001 };
	struct expr_pool p;
	struct tape t;
	expr_pool_init(&p);
	uint32_t s = expr_source(&p, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "x")), x = expr_input(&p, s, 0),
		 y = expr_input(&p, s, 1);
	uint32_t top = chain(&p, DEPTH, x, y);
	CHECK(p.n > DEPTH);
	tape_init(&t, &p);
	uint32_t step = tape_add(&t, top);
	CHECK_INT(DEPTH + 2, t.n);
	for (unsigned k = 0; k < 4; k++) {
		const uint8_t bytes[] = {(uint8_t)(3 + 50 * k), (uint8_t)(7 + 31 * k)};
		tape_load(&t, bytes);
		tape_run(&t);
		CHECK_INT(chain_value(DEPTH, bytes[0], bytes[1]), t.values[step]);
	}
	tape_focus(&t, 0);
	CHECK_INT(DEPTH + 1, t.n_focus);
	tape_try(&t, 200);
	CHECK_INT(chain_value(DEPTH, 200, 7 + 31 * 3), t.values[step]);
	tape_release(&t);
	expr_pool_release(&p);
}

// Tables that hold what was read from other tables.
static void deep_tables(void)
{
	enum { DEPTH = 20000 };
	struct expr_pool p;
	expr_pool_init(&p);
	uint32_t s = expr_source(&p, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "x")), x = expr_input(&p, s, 0),
		 y = expr_input(&p, s, 1);
	uint32_t at = expr_make(&p, OP_ZEXT, 64, y, 0, 0), e = x;
	for (uint32_t i = 0; i < DEPTH; i++) {
		const uint32_t exprs[] = {e, 0};
		const uint8_t bytes[] = {0, (uint8_t)i};
		e = expr_lookup(&p, 8, at, expr_table(&p, bytes, exprs, 2));
	}
	CHECK_INT(42, expr_eval(&p, e, (const uint8_t[]){42, 0}));
	CHECK_INT((uint8_t)(DEPTH - 1), expr_eval(&p, e, (const uint8_t[]){42, 1}));
	CHECK_INT(0, expr_eval(&p, e, (const uint8_t[]){42, 2}));
	expr_pool_release(&p);
}

static const struct test tests[] = {
	TEST(same_as_naive), TEST(focus), TEST(changed_in_between), TEST(single_variables),
	TEST(table_ends),    TEST(deep),  TEST(deep_tables),
};

TEST_MAIN("tape")
