#include "expr/known.h"

#include "expr/show.h"
#include "expr/simplify.h"
#include "expr/tape.h"
#include "small.h"
#include "test.h"

// --- the same under all that satisfies the path ---------------------------------------------

enum { VARS = 4, ASSIGNMENTS = 4096 }; // SMALL_VALUES to the power of VARS

static void assign(struct tape *t, uint32_t number)
{
	for (uint32_t v = 0; v < VARS; v++, number /= SMALL_VALUES)
		if (tape_has(t, v))
			tape_set(t, v, (uint8_t)(number % SMALL_VALUES));
}

// One path: conditions that are true of the seed, each rewritten by what those before it say. Under every
// assignment that satisfies the earlier ones it has the value of the original. Returns how many got simpler.
static unsigned follow(struct small *m, struct known *k, unsigned length, uint64_t seed)
{
	struct tape t;
	bool *alive = test_alloc(ASSIGNMENTS);
	unsigned simpler = 0;
	memset(alive, 1, ASSIGNMENTS);
	tape_init(&t, &m->pool);
	for (unsigned i = 0; i < length; i++) {
		uint32_t c = small_condition(m, 0, VARS, 2), v = random_below(&m->random, VARS);
		if (random_below(&m->random, 8) == 0)
			c = expr_eq(&m->pool, m->bits[v], m->seed[v]);
		if (!expr_eval(&m->pool, c, m->seed))
			c = expr_not(&m->pool, c);
		if (random_below(&m->random, 4) == 0) // something is asked without being learned
			known_rewrite(k, expr_not(&m->pool, c));
		uint32_t r = known_rewrite(k, c);
		CHECK(r && expr_width(&m->pool, r) == 1);
		tape_clear(&t);
		uint32_t before = tape_add(&t, c), after = tape_add(&t, r);
		for (uint32_t n = 0; n < ASSIGNMENTS; n++) {
			if (!alive[n])
				continue;
			assign(&t, n);
			tape_run(&t);
			CHECK_THAT(t.values[before] == t.values[after], "seed %d, condition %u, assignment %u",
			           (int)seed, i, n);
			alive[n] = t.values[before];
		}
		simpler += r != expr_simplify(&m->pool, c);
		known_learn(k, r);
	}
	tape_release(&t);
	return simpler;
}

static void same_value(void)
{
	unsigned simpler = 0;
	for (uint64_t seed = 0; seed < 25; seed++) {
		struct small m;
		struct known k;
		small_init(&m, VARS, seed);
		known_init(&k, &m.pool);
		for (int path = 0; path < 3; path++) { // one after the other, in one pool
			for (uint32_t v = 0; v < VARS; v++)
				m.seed[v] = (uint8_t)random_below(&m.random, SMALL_VALUES);
			simpler += follow(&m, &k, 20, seed);
			known_clear(&k);
		}
		known_release(&k);
		small_release(&m);
	}
	CHECK_THAT(simpler > 200, "%u", simpler);
}

// Wide expressions of all operators, on assignments near the one that the path was made for.
static void same_value_wide(void)
{
	unsigned simpler = 0, tried = 0;
	for (uint64_t seed = 0; seed < 60; seed++) {
		enum { CONDITIONS = 12, TRIES = 200 };
		struct expr_pool p;
		struct generator g;
		struct known k;
		uint32_t before[CONDITIONS], after[CONDITIONS];
		expr_pool_init(&p);
		generator_init(&g, &p, seed, QUERY_BYTES);
		g.floats = seed % 4 == 0;
		known_init(&k, &p);
		for (unsigned i = 0; i < CONDITIONS; i++) {
			uint32_t e = generator_expr(&g, i % 3 ? 1 : 8, 3);
			before[i] = expr_eq(&p, e, expr_eval(&p, e, g.bytes));
			after[i] = known_rewrite(&k, before[i]);
			known_learn(&k, after[i]);
			simpler += after[i] != expr_simplify(&p, before[i]);
		}
		for (unsigned n = 0; n < TRIES; n++) {
			uint8_t bytes[QUERY_BYTES];
			memcpy(bytes, g.bytes, sizeof bytes);
			for (unsigned j = 0; j < n % 3; j++)
				bytes[random_below(&g.random, QUERY_BYTES)] = (uint8_t)generator_number(&g, 8);
			for (unsigned i = 0; i < CONDITIONS; i++) {
				bool held = expr_eval(&p, before[i], bytes);
				CHECK_THAT(held == (bool)expr_eval(&p, after[i], bytes), "seed %d, condition %u",
				           (int)seed, i);
				tried++;
				if (!held)
					break;
			}
		}
		known_release(&k);
		expr_pool_release(&p);
	}
	CHECK_THAT(simpler > 50 && tried > 20000, "%u, %u", simpler, tried);
}

// --- single rewrites -----------------------------------------------------------------------

struct bench {
	struct expr_pool pool;
	struct known known;
	uint32_t x, y, z;
};

static void bench_init(struct bench *b)
{
	expr_pool_init(&b->pool);
	known_init(&b->known, &b->pool);
	uint32_t s = expr_source(&b->pool, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "x"));
	b->x = expr_input(&b->pool, s, 0);
	b->y = expr_input(&b->pool, s, 1);
	b->z = expr_input(&b->pool, s, 2);
}

static void bench_release(struct bench *b)
{
	known_release(&b->known);
	expr_pool_release(&b->pool);
}

static void learn(struct bench *b, uint32_t condition)
{
	known_learn(&b->known, known_rewrite(&b->known, condition));
}

static void check_rewrite(struct bench *b, uint32_t expected, uint32_t id, int line)
{
	uint32_t is = known_rewrite(&b->known, id), simple = expr_simplify(&b->pool, expected);
	struct buf one = {0}, two = {0};
	expr_print(&b->pool, is, 200, &one);
	expr_print(&b->pool, simple, 200, &two);
	const char *text = test_printf("%s, not %s", one.data, two.data);
	buf_release(&one);
	buf_release(&two);
	CHECK_THAT(is == simple, "line %d: %s", line, text);
}
#define CHECK_REWRITE(b, expected, id) check_rewrite(b, expected, id, __LINE__)

static uint32_t number(struct bench *b, unsigned width, uint64_t value)
{
	return expr_const(&b->pool, width, value);
}

static void equalities(void)
{
	for (int early = 0; early < 2; early++) { // made, and asked for, before it is known; or only then
		struct bench b;
		bench_init(&b);
		struct expr_pool *p = &b.pool;
		if (early) {
			uint32_t sum = expr_make(p, OP_ADD, 8, b.x, b.y, 0);
			CHECK_REWRITE(&b, sum, sum);
		}
		learn(&b, expr_eq(p, b.x, 5));
		uint32_t sum = expr_make(p, OP_ADD, 8, b.x, b.y, 0);
		CHECK_REWRITE(&b, expr_make(p, OP_ADD, 8, b.y, number(&b, 8, 5), 0), sum);
		CHECK_REWRITE(&b, number(&b, 8, 5), b.x);
		CHECK_REWRITE(&b, number(&b, 8, 0xfa), expr_not(p, b.x));
		CHECK_REWRITE(&b, b.y, b.y);
		learn(&b, expr_make(p, OP_EQ, 1, number(&b, 8, 7), b.y, 0)); // the other way round
		CHECK_REWRITE(&b, number(&b, 8, 12), sum);
		CHECK_REWRITE(&b, number(&b, 1, 0), expr_eq(p, sum, 13));
		CHECK_REWRITE(&b, expr_make(p, OP_SUB, 8, b.z, number(&b, 8, 12), 0),
		              expr_make(p, OP_SUB, 8, b.z, sum, 0));
		bench_release(&b);
	}
}

// A condition that held holds from then on, as it is and inside of others; its negation does not.
static void conditions(void)
{
	for (int asked = 0; asked < 3; asked++) {
		struct bench b;
		bench_init(&b);
		struct expr_pool *p = &b.pool;
		uint32_t less = expr_make(p, OP_ULT, 1, b.x, b.y, 0), one = number(&b, 1, 1), zero = number(&b, 1, 0);
		uint32_t other = expr_make(p, OP_ULT, 1, b.y, b.z, 0);
		if (asked > 0) // as when the other way is asked for first
			known_rewrite(&b.known, expr_not(p, less));
		if (asked > 1)
			known_rewrite(&b.known, expr_make(p, OP_ITE, 8, less, b.x, b.z));
		learn(&b, less);
		CHECK_REWRITE(&b, one, less);
		CHECK_REWRITE(&b, zero, expr_not(p, less));
		CHECK_REWRITE(&b, other, expr_make(p, OP_AND, 1, less, other, 0));
		CHECK_REWRITE(&b, b.x, expr_make(p, OP_ITE, 8, less, b.x, b.z));
		learn(&b, expr_not(p, other));
		CHECK_REWRITE(&b, zero, other);
		CHECK_REWRITE(&b, one, expr_not(p, other));
		CHECK_REWRITE(&b, zero, expr_make(p, OP_AND, 1, less, other, 0));
		bench_release(&b);
	}
}

// The same condition a second time, when it had become another one by what was known.
static void once_more(void)
{
	struct bench b;
	bench_init(&b);
	uint32_t c = expr_make(&b.pool, OP_ULT, 1, b.x, b.y, 0);
	learn(&b, expr_eq(&b.pool, b.x, 5));
	CHECK_REWRITE(&b, expr_make(&b.pool, OP_ULT, 1, number(&b, 8, 5), b.y, 0), c);
	learn(&b, c);
	CHECK_REWRITE(&b, number(&b, 1, 1), c);
	bench_release(&b);
}

// Both parts of what is true, and of what is false.
static void parts(void)
{
	struct bench b;
	bench_init(&b);
	struct expr_pool *p = &b.pool;
	uint32_t c = expr_make(p, OP_ULT, 1, b.x, b.y, 0), d = expr_make(p, OP_SLT, 1, b.y, b.z, 0);
	uint32_t e = expr_make(p, OP_ULT, 1, b.z, b.x, 0), f = expr_eq(p, b.z, 9);
	learn(&b, expr_make(p, OP_AND, 1, c, d, 0));
	CHECK_REWRITE(&b, number(&b, 1, 1), c);
	CHECK_REWRITE(&b, number(&b, 1, 1), d);
	learn(&b, expr_not(p, expr_make(p, OP_OR, 1, e, expr_not(p, f), 0)));
	CHECK_REWRITE(&b, number(&b, 8, 9), b.z);
	CHECK_REWRITE(&b, number(&b, 1, 0), e);
	uint32_t known = known_rewrite(&b.known, c);
	known_learn(&b.known, known); // constants say nothing
	CHECK_REWRITE(&b, number(&b, 1, 1), c);
	bench_release(&b);
}

// What a condition says in another form.
static void negations(void)
{
	struct bench b;
	bench_init(&b);
	struct expr_pool *p = &b.pool;
	uint32_t c = expr_make(p, OP_ULT, 1, b.y, b.z, 0), d = expr_make(p, OP_SLT, 1, b.y, b.z, 0);
	learn(&b, expr_not(p, expr_make(p, OP_ULT, 1, number(&b, 8, 0), b.x, 0)));
	CHECK_REWRITE(&b, number(&b, 8, 0), b.x);
	learn(&b, expr_not(p, expr_make(p, OP_AND, 1, expr_not(p, c), d, 0)));
	CHECK_REWRITE(&b, c, c);
	CHECK_REWRITE(&b, d, d);
	learn(&b, d);
	CHECK_REWRITE(&b, number(&b, 1, 0), expr_make(p, OP_SLE, 1, b.z, b.y, 0));
	bench_release(&b);
}

// Parts that are shared again and again are learned once: there are more ways down than could be walked.
static void shared_parts(void)
{
	struct bench b;
	bench_init(&b);
	struct expr_pool *p = &b.pool;
	uint32_t all = expr_make(p, OP_ULT, 1, b.x, b.y, 0), bottom = all;
	for (unsigned i = 0; i < 60; i++) {
		uint32_t c = expr_not(p, expr_eq(p, b.z, 2 * i)), d = expr_not(p, expr_eq(p, b.z, 2 * i + 1));
		all = expr_make(p, OP_AND, 1, expr_make(p, OP_AND, 1, all, c, 0), expr_make(p, OP_AND, 1, all, d, 0),
		                0);
	}
	learn(&b, all);
	CHECK_REWRITE(&b, number(&b, 1, 1), bottom);
	bench_release(&b);
}

// Neither part of what may be either.
static void no_parts(void)
{
	struct bench b;
	bench_init(&b);
	struct expr_pool *p = &b.pool;
	uint32_t c = expr_make(p, OP_ULT, 1, b.x, b.y, 0), d = expr_eq(p, b.z, 9);
	learn(&b, expr_make(p, OP_OR, 1, c, d, 0));
	learn(&b, expr_not(p, expr_eq(p, b.x, 5)));
	learn(&b, expr_make(p, OP_EQ, 1, b.x, b.z, 0));
	CHECK_REWRITE(&b, c, c);
	CHECK_REWRITE(&b, d, d);
	CHECK_REWRITE(&b, b.x, b.x);
	CHECK_REWRITE(&b, b.z, b.z);
	bench_release(&b);
}

// A table is read where the index is known, and what stands there is known, too.
static void tables(void)
{
	struct bench b;
	bench_init(&b);
	struct expr_pool *p = &b.pool;
	uint32_t at = expr_make(p, OP_ZEXT, 64, b.x, 0, 0), sum = expr_make(p, OP_ADD, 8, b.y, b.z, 0);
	const uint32_t exprs[] = {0, sum, b.z, 0};
	uint32_t plain = expr_lookup(p, 16, at, expr_table(p, (const uint8_t *)"abcd", NULL, 4));
	uint32_t mixed = expr_lookup(p, 8, at, expr_table(p, (const uint8_t *)"abcd", exprs, 4));
	known_rewrite(&b.known, expr_eq(p, mixed, 3));
	known_rewrite(&b.known, expr_eq(p, plain, 3));
	learn(&b, expr_eq(p, b.z, 9));
	CHECK_REWRITE(&b, mixed, mixed); // entries are looked at when they are chosen
	learn(&b, expr_eq(p, b.x, 1));
	CHECK_REWRITE(&b, number(&b, 16, 'c' << 8 | 'b'), plain);
	CHECK_REWRITE(&b, expr_make(p, OP_ADD, 8, b.y, number(&b, 8, 9), 0), mixed);
	known_clear(&b.known);
	learn(&b, expr_eq(p, b.x, 200)); // behind the end
	CHECK_REWRITE(&b, number(&b, 16, 0), plain);
	CHECK_REWRITE(&b, number(&b, 8, 0), mixed);
	bench_release(&b);
}

static void cleared(void)
{
	struct bench b;
	bench_init(&b);
	struct expr_pool *p = &b.pool;
	known_clear(&b.known); // before there is anything
	uint32_t sum = expr_make(p, OP_ADD, 8, b.x, b.y, 0), c = expr_eq(p, sum, 8);
	for (uint32_t i = 0; i < 20; i++) {
		CHECK_REWRITE(&b, sum, sum);
		CHECK_REWRITE(&b, c, c);
		learn(&b, expr_eq(p, b.x, i));
		CHECK_REWRITE(&b, expr_make(p, OP_ADD, 8, b.y, number(&b, 8, i), 0), sum);
		known_clear(&b.known);
	}
	bench_release(&b);
}

// As deep as it has nodes.
static void deep(void)
{
	enum { DEPTH = 100000 };
	struct bench b;
	bench_init(&b);
	struct expr_pool *p = &b.pool;
	uint32_t e = b.x;
	uint8_t value = 7;
	for (uint32_t i = 0; i < DEPTH; i++) {
		e = i % 2 ? expr_make(p, OP_MUL, 8, e, b.y, 0) : expr_make(p, OP_XOR, 8, e, b.y, 0);
		value = (uint8_t)(i % 2 ? value * 3 : value ^ 3);
	}
	known_rewrite(&b.known, e);
	learn(&b, expr_eq(p, b.y, 3));
	learn(&b, expr_eq(p, b.x, 7));
	CHECK_REWRITE(&b, number(&b, 8, value), e);
	bench_release(&b);
}

// None of very many cases of a switch.
static void many_parts(void)
{
	enum { MANY = 200000 };
	struct bench b;
	bench_init(&b);
	struct expr_pool *p = &b.pool;
	uint32_t word = expr_make(p, OP_CONCAT, 24, expr_make(p, OP_CONCAT, 16, b.x, b.y, 0), b.z, 0);
	uint32_t all = number(&b, 1, 1);
	for (uint32_t i = 0; i < MANY; i++)
		all = expr_make(p, OP_AND, 1, all, expr_not(p, expr_eq(p, word, 3 * i)), 0);
	learn(&b, all);
	for (uint32_t i = 0; i < 3 * MANY; i += 1 + i / 4)
		CHECK_INT(i % 3 == 0, expr_is_const(p, known_rewrite(&b.known, expr_eq(p, word, i))));
	bench_release(&b);
}

static const struct test tests[] = {
	TEST(same_value), TEST(same_value_wide), TEST(equalities), TEST(conditions), TEST(once_more), TEST(parts),
	TEST(negations),  TEST(shared_parts),    TEST(no_parts),   TEST(tables),     TEST(cleared),   TEST(deep),
	TEST(many_parts),
};

TEST_MAIN("known")
