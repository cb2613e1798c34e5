#include "solver/quick.h"

#include "expr/simplify.h"
#include "expr/tape.h"
#include "query.h"
#include "small.h"
#include "test.h"

// --- sets ----------------------------------------------------------------------------------

static struct byteset set_of(const char *values, size_t n)
{
	struct byteset s = {{0}};
	for (size_t i = 0; i < n; i++)
		s.word[(uint8_t)values[i] / 64] |= (uint64_t)1 << (uint8_t)values[i] % 64;
	return s;
}

#define CHOOSE(values, seed, like) choose(values, sizeof values - 1, seed, like)
static int choose(const char *values, size_t n, uint8_t seed, uint8_t like)
{
	struct byteset s = set_of(values, n);
	return byteset_choose(&s, seed, like);
}

static void choices(void)
{
	CHECK_INT(-1, CHOOSE("", 'a', 'a'));
	CHECK_INT('a', CHOOSE("abc", 'a', 'c')); // what it was comes first, whatever is liked
	CHECK_INT(0, CHOOSE("\0abc", 0, 'b'));
	CHECK_INT('b', CHOOSE("\1abc", 0, 'b'));
	CHECK_INT('7', CHOOSE("127:;<", '9', '9')); // a digit, though others are nearer
	CHECK_INT('a', CHOOSE("a[\\]{", 'Z', 'Z')); // a letter
	CHECK_INT('!', CHOOSE("!1a\n", '@', '@'));
	CHECK_INT('z', CHOOSE("\1\2\3z", 'A', 'A')); // readable if possible
	CHECK_INT('z', CHOOSE("\x1fz", '0', '0'));   // also if it is farther
	CHECK_INT(' ', CHOOSE(" \xff", 'A', 'A'));
	CHECK_INT(3, CHOOSE("\1\2\3\xff", 'A', 'A'));
	CHECK_INT(255, CHOOSE("\xff", 0, 0));
	CHECK_INT(0x80, CHOOSE("a\x80", 0xff, 0xff)); // what was no text stays none
	struct byteset s = set_of("\0\x3f\x40\xff", 4);
	for (unsigned v = 0; v < 256; v++)
		CHECK_INT(v == 0 || v == 0x3f || v == 0x40 || v == 0xff, byteset_has(&s, v));
	CHECK(!byteset_is_empty(&s));
	for (unsigned v = 0; v < 256; v += 51) {
		s = set_of((const char[]){(char)v}, 1);
		CHECK(!byteset_is_empty(&s));
		CHECK_INT(v, byteset_choose(&s, 1, 1));
	}
}

// --- against enumeration -------------------------------------------------------------------

static void small_queries(void)
{
	unsigned decided[3] = {0};
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct small m;
		struct model model = {0};
		small_init(&m, 6, seed);
		struct solver *quick = quick_new(&m.env, NULL);
		for (int round = 0; round < 60; round++) {
			uint32_t conditions[4], n = 1 + random_below(&m.random, 4);
			for (uint32_t i = 0; i < n; i++)
				conditions[i] =
					small_condition(&m, random_below(&m.random, 2) * 2,
				                        1 + random_below(&m.random, 4), random_below(&m.random, 3));
			struct query q = {.conditions = conditions, .n = n, .seed = m.seed};
			enum answer a = solver_solve(quick, &q, &model);
			decided[a]++;
			if (a == ANSWER_UNKNOWN)
				continue;
			CHECK_THAT(a == small_answer(&m, &q, NULL), "seed %d, round %d", (int)seed, round);
			CHECK_THAT(a == ANSWER_UNSAT || small_holds(&m, &q, &model), "seed %d, round %d", (int)seed,
			           round);
		}
		solver_free(quick);
		model_release(&model);
		small_release(&m);
	}
	CHECK_THAT(decided[ANSWER_SAT] > 300 && decided[ANSWER_UNSAT] > 60 && decided[ANSWER_UNKNOWN] > 15,
	           "%u sat, %u unsat, %u passed on", decided[ANSWER_SAT], decided[ANSWER_UNSAT],
	           decided[ANSWER_UNKNOWN]);
}

static bool holds(const struct expr_pool *p, const struct query *q, const uint8_t *bytes)
{
	for (uint32_t i = 0; i < q->n; i++)
		if (!expr_eval(p, q->conditions[i], bytes))
			return false;
	return true;
}

// All values of the first two bytes.
static enum answer enumerated(const struct expr_pool *p, const struct query *q, unsigned n_bytes)
{
	struct tape t;
	uint32_t steps[QUERY_CONDITIONS];
	bool sat = false;
	tape_init(&t, p);
	for (uint32_t i = 0; i < q->n; i++)
		steps[i] = tape_add(&t, q->conditions[i]);
	for (uint32_t v = 0; v < 1u << 8 * n_bytes && !sat; v++) {
		tape_load(&t, (const uint8_t[]){(uint8_t)v, (uint8_t)(v >> 8)});
		tape_run(&t);
		sat = true;
		for (uint32_t i = 0; i < q->n; i++)
			sat = sat && t.values[steps[i]];
	}
	tape_release(&t);
	return sat ? ANSWER_SAT : ANSWER_UNSAT;
}

// As the stages before leave it; false: they have answered it.
static bool simple_query(struct generator *g, uint32_t *conditions, uint32_t *ret_n)
{
	uint32_t n = generator_query(g, conditions), kept = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t c = expr_simplify(g->pool, conditions[i]);
		if (!expr_is_const(g->pool, c))
			conditions[kept++] = c;
		else if (!expr_value(g->pool, c))
			return false;
	}
	*ret_n = kept;
	return kept > 0;
}

// Everything on one byte, also floats, is decided; of two bytes, what is said is true.
static void one_and_two_bytes(void)
{
	for (unsigned n_bytes = 1; n_bytes <= 2; n_bytes++) {
		struct expr_pool p;
		struct generator g;
		struct model model = {0};
		expr_pool_init(&p);
		struct solver_env env = {.pool = &p};
		generator_init(&g, &p, 40 + n_bytes, n_bytes);
		g.floats = n_bytes == 1;
		struct solver *quick = quick_new(&env, NULL);
		unsigned decided[3] = {0};
		for (int round = 0; round < (n_bytes == 1 ? 1000 : 120); round++) {
			uint32_t conditions[QUERY_CONDITIONS];
			uint8_t seed[] = {(uint8_t)random_next(&g.random), (uint8_t)random_next(&g.random)};
			struct query q = {.conditions = conditions, .seed = seed};
			if (!simple_query(&g, conditions, &q.n))
				continue;
			enum answer a = solver_solve(quick, &q, &model);
			decided[a]++;
			if (a == ANSWER_UNKNOWN)
				continue;
			CHECK_THAT(a == enumerated(&p, &q, n_bytes), "%u bytes, round %d", n_bytes, round);
			for (uint32_t i = 0; a == ANSWER_SAT && i < model.n; i++)
				seed[model.vars[i]] = model.values[i];
			CHECK_THAT(a == ANSWER_UNSAT || holds(&p, &q, seed), "%u bytes, round %d", n_bytes, round);
		}
		CHECK_THAT(decided[ANSWER_SAT] > 15 && decided[ANSWER_UNSAT] > 5, "%u bytes: %u sat, %u unsat", n_bytes,
		           decided[ANSWER_SAT], decided[ANSWER_UNSAT]);
		CHECK_THAT(n_bytes == 1 ? decided[ANSWER_UNKNOWN] == 0 : decided[ANSWER_UNKNOWN] > 1, "%u passed on",
		           decided[ANSWER_UNKNOWN]);
		solver_free(quick);
		model_release(&model);
		expr_pool_release(&p);
	}
}

// --- one byte is enough --------------------------------------------------------------------

// Whether one other byte makes everything true.
static bool one_suffices(struct small *m, const struct query *q)
{
	struct model one = {0};
	bool found = false;
	for (uint32_t v = 0; v < m->n_vars && !found; v++)
		for (unsigned value = 0; value < SMALL_VALUES && !found; value++) {
			model_clear(&one);
			model_add(&one, v, (uint8_t)value);
			found = small_holds(m, q, &one);
		}
	model_release(&one);
	return found;
}

static void one_byte(void)
{
	unsigned n = 0, none = 0;
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct small m;
		struct model model = {0};
		small_init(&m, 5, 1000 + seed);
		struct solver *quick = quick_new(&m.env, NULL);
		for (int round = 0; round < 60; round++) {
			uint32_t conditions[4];
			struct query q = {.conditions = conditions, .seed = m.seed};
			model_clear(&model);
			for (int i = 0; i < 4; i++) {
				uint32_t c = small_condition(&m, 0, 5, 2);
				// What depends on one byte must be true already: of those the first is changed
				// without a look at the others.
				if (m.pool.only[c] == EXPR_MANY || expr_eval(&m.pool, c, m.seed))
					conditions[q.n++] = c;
			}
			bool suffices = one_suffices(&m, &q), already = small_holds(&m, &q, &model);
			enum answer a = solver_solve(quick, &q, &model);
			uint32_t changed = 0;
			for (uint32_t i = 0; a == ANSWER_SAT && i < model.n; i++)
				changed += model.values[i] != m.seed[model.vars[i]];
			CHECK_THAT(!already || (a == ANSWER_SAT && changed == 0), "seed %d, round %d", (int)seed,
			           round);
			CHECK_THAT(already || !suffices || (a == ANSWER_SAT && changed == 1), "seed %d, round %d",
			           (int)seed, round);
			n += suffices && !already;
			none += !suffices;
		}
		solver_free(quick);
		model_release(&model);
		small_release(&m);
	}
	CHECK_THAT(n > 150 && none > 25, "%u, %u", n, none);
}

// --- two bytes -----------------------------------------------------------------------------

struct two {
	struct expr_pool pool;
	struct solver_env env;
	struct solver *quick;
	struct model model;
	uint32_t x, y; // 16 bits wide
	uint8_t seed[2];
};

static void two_init(struct two *t)
{
	*t = (struct two){.seed = "AB"};
	expr_pool_init(&t->pool);
	t->env.pool = &t->pool;
	uint32_t s = expr_source(&t->pool, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "x"));
	t->x = expr_make(&t->pool, OP_ZEXT, 16, expr_input(&t->pool, s, 0), 0, 0);
	t->y = expr_make(&t->pool, OP_ZEXT, 16, expr_input(&t->pool, s, 1), 0, 0);
	t->quick = quick_new(&t->env, NULL);
}

static void two_release(struct two *t)
{
	solver_free(t->quick);
	model_release(&t->model);
	expr_pool_release(&t->pool);
}

// x op y == value, and both at least `least`.
static enum answer two_ask(struct two *t, unsigned op, uint32_t value, uint32_t least)
{
	struct expr_pool *p = &t->pool;
	uint32_t bound = expr_const(p, 16, least);
	const uint32_t conditions[] = {
		expr_eq(p, expr_make(p, op, 16, t->x, t->y, 0), value),
		expr_make(p, OP_ULE, 1, bound, t->x, 0),
		expr_make(p, OP_ULE, 1, bound, t->y, 0),
	};
	const struct query q = {.conditions = conditions, .n = 3, .seed = t->seed};
	enum answer a = solver_solve(t->quick, &q, &t->model);
	if (a == ANSWER_SAT) {
		uint8_t bytes[2] = {t->seed[0], t->seed[1]};
		for (uint32_t i = 0; i < t->model.n; i++)
			bytes[t->model.vars[i]] = t->model.values[i];
		CHECK(holds(p, &q, bytes));
	}
	return a;
}

static void two_bytes(void)
{
	struct two t;
	two_init(&t);
	CHECK_INT(ANSWER_SAT, two_ask(&t, OP_MUL, 251 * 241, 2));
	CHECK_INT(ANSWER_UNSAT, two_ask(&t, OP_MUL, 65521, 2)); // a prime
	CHECK_INT(ANSWER_SAT, two_ask(&t, OP_MUL, 0, 0));
	CHECK_INT(ANSWER_UNSAT, two_ask(&t, OP_MUL, 0, 1));
	CHECK_INT(ANSWER_SAT, two_ask(&t, OP_UDIV, 127, 2));
	CHECK_INT(ANSWER_UNSAT, two_ask(&t, OP_UDIV, 128, 2));
	CHECK_INT(ANSWER_SAT, two_ask(&t, OP_UDIV, 0xffff, 0)); // by 0
	CHECK_INT(ANSWER_UNSAT, two_ask(&t, OP_UDIV, 0xfffe, 0));
	CHECK_INT(ANSWER_SAT, two_ask(&t, OP_UREM, 254, 0));
	CHECK_INT(ANSWER_UNSAT, two_ask(&t, OP_SREM, 255, 1));
	CHECK_INT(ANSWER_UNSAT, two_ask(&t, OP_SDIV, 0x8000, 0));
	// What a SAT solver is good at is left to it.
	CHECK_INT(ANSWER_UNKNOWN, two_ask(&t, OP_ADD, 511, 0));
	CHECK_INT(SOLVER_BACKEND, t.env.reason);
	two_release(&t);
}

static enum answer ask(struct two *t, uint32_t condition)
{
	const struct query q = {.conditions = &condition, .n = 1, .seed = t->seed};
	return solver_solve(t->quick, &q, &t->model);
}

// The upper half of a product with a number of many bits, and one that the bytes do not reach.
static void hashes(void)
{
	static uint8_t reached[1 << 16];
	struct two t;
	two_init(&t);
	struct expr_pool *p = &t.pool;
	uint32_t both = expr_make(p, OP_CONCAT, 32, t.x, t.y, 0);
	uint32_t product = expr_make(p, OP_MUL, 32, both, expr_const(p, 32, 0x9e3779b1u), 0);
	uint32_t high = expr_make(p, OP_EXTRACT, 16, product, 16, 0), missed = 0;
	for (uint32_t x = 0; x < 256; x++)
		for (uint32_t y = 0; y < 256; y++)
			reached[(x << 16 | y) * 0x9e3779b1u >> 16] = 1;
	while (reached[missed])
		missed++;
	CHECK_INT(ANSWER_SAT, ask(&t, expr_eq(p, high, (200u << 16 | 77) * 0x9e3779b1u >> 16)));
	CHECK_INT(ANSWER_UNSAT, ask(&t, expr_eq(p, high, missed)));
	two_release(&t);
}

static void floats(void)
{
	struct two t;
	two_init(&t);
	struct expr_pool *p = &t.pool;
	uint32_t x = expr_make(p, OP_UITOF, 64, t.x, 0, 0), y = expr_make(p, OP_UITOF, 64, t.y, 0, 0);
	uint32_t sum = expr_make(p, OP_FADD, 64, x, y, 0),
		 most = expr_make(p, OP_UITOF, 64, expr_const(p, 16, 510), 0, 0);
	CHECK_INT(ANSWER_SAT, ask(&t, expr_make(p, OP_FEQ, 1, sum, most, 0)));
	CHECK(t.model.n == 2 && t.model.values[0] == 255 && t.model.values[1] == 255);
	CHECK_INT(ANSWER_UNSAT, ask(&t, expr_make(p, OP_FLT, 1, most, sum, 0)));
	two_release(&t);
}

// --- scanners ------------------------------------------------------------------------------

enum { STATES = 8, CLASSES = 4, ROOM = 2 * STATES };

// Tables as flex makes them, with random content.
struct scanner {
	struct expr_pool *pool;
	uint32_t class, base, next, check;
};

static uint32_t random_table(struct small *m, uint32_t size, uint32_t below)
{
	uint8_t bytes[64];
	for (uint32_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)random_below(&m->random, below);
	return expr_table(&m->pool, bytes, NULL, size);
}

static void scanner_init(struct scanner *s, struct small *m)
{
	*s = (struct scanner){.pool = &m->pool};
	s->class = random_table(m, SMALL_VALUES, CLASSES);
	s->base = random_table(m, STATES, STATES);
	s->next = random_table(m, ROOM, STATES);
	s->check = random_table(m, ROOM, STATES);
}

static uint32_t read_table(struct scanner *s, uint32_t table, uint32_t at)
{
	return expr_lookup(s->pool, 8, expr_make(s->pool, OP_ZEXT, 64, at, 0, 0), table);
}

// base[state] + class[byte]
static uint32_t place_in(struct scanner *s, uint32_t state, uint32_t bits)
{
	uint32_t byte = expr_make(s->pool, OP_ZEXT, 8, bits, 0, 0);
	return expr_make(s->pool, OP_ADD, 8, read_table(s, s->base, state), read_table(s, s->class, byte), 0);
}

// The path of a scanner over the variables, each look-up as it goes under the seed; the last condition is
// another one. Then a state of those so far is read from a stack at an index that is input.
static uint32_t scan(struct scanner *s, struct small *m, uint32_t *conditions)
{
	uint32_t n = 0, state = expr_const(s->pool, 8, random_below(&m->random, STATES)), entries[STATES] = {0};
	uint8_t bytes[STATES] = {0};
	for (uint32_t i = 0; i < m->n_vars; i++) {
		uint32_t place = place_in(s, state, m->bits[i]);
		uint32_t hit = expr_make(s->pool, OP_EQ, 1, read_table(s, s->check, place), state, 0);
		conditions[n++] = expr_eval(s->pool, hit, m->seed) ? hit : expr_not(s->pool, hit);
		state = read_table(s, s->next, place);
		entries[i] = state;
		if (i == 1) {
			uint32_t stack = expr_table(s->pool, bytes, entries, STATES);
			uint32_t at = expr_make(s->pool, OP_ZEXT, 8, m->bits[0], 0, 0);
			state = read_table(s, stack, at);
		}
	}
	conditions[n++] = expr_eq(s->pool, state, random_below(&m->random, STATES));
	return n;
}

// What is refuted has no solution; nearly everything that has none is refuted.
static void scanners(void)
{
	unsigned refuted = 0, missed = 0, sat = 0;
	for (uint64_t seed = 0; seed < 400; seed++) {
		struct small m;
		struct scanner s;
		struct model model = {0};
		uint32_t conditions[8];
		small_init(&m, 4, 2000 + seed);
		scanner_init(&s, &m);
		struct solver *quick = quick_new(&m.env, NULL);
		struct query q = {.conditions = conditions, .n = scan(&s, &m, conditions), .seed = m.seed};
		enum answer a = solver_solve(quick, &q, &model), right = small_answer(&m, &q, NULL);
		CHECK_THAT(a == ANSWER_UNKNOWN || a == right, "seed %d", (int)seed);
		CHECK_THAT(a != ANSWER_SAT || small_holds(&m, &q, &model), "seed %d", (int)seed);
		refuted += a == ANSWER_UNSAT;
		missed += a == ANSWER_UNKNOWN && right == ANSWER_UNSAT;
		sat += right == ANSWER_SAT;
		solver_free(quick);
		model_release(&model);
		small_release(&m);
	}
	CHECK_THAT(refuted > 5 * missed && refuted > 50 && sat > 50, "%u refuted, %u missed, %u sat", refuted, missed,
	           sat);
}

// All queries of a path, one after the other, as a path has them: what was enforced for one is kept for the next. Some
// bytes have conditions of their own, and some of these are negated.
static void scanner_paths(void)
{
	unsigned answers[3] = {0}, missed = 0;
	for (uint64_t seed = 0; seed < 150; seed++) {
		struct small m;
		struct scanner s;
		struct model model = {0};
		uint32_t path[16], conditions[17], n;
		small_init(&m, 5, 5000 + seed);
		scanner_init(&s, &m);
		struct solver *quick = quick_new(&m.env, NULL);
		n = scan(&s, &m, path) - 1;
		for (uint32_t i = 0; i < m.n_vars; i++) {
			uint32_t at = random_below(&m.random, n + 1);
			memmove(path + at + 1, path + at, (n++ - at) * sizeof *path);
			uint32_t value = random_below(&m.random, SMALL_VALUES);
			uint32_t is = expr_eq(&m.pool, expr_make(&m.pool, OP_ZEXT, 8, m.bits[i], 0, 0), value);
			path[at] = expr_eval(&m.pool, is, m.seed) ? is : expr_not(&m.pool, is);
		}
		for (uint32_t i = 0; i < n; i++) {
			memcpy(conditions, path, i * sizeof *path);
			conditions[i] = expr_not(&m.pool, path[i]);
			struct query q = {.conditions = conditions, .n = i + 1, .seed = m.seed};
			enum answer a = solver_solve(quick, &q, &model), right = small_answer(&m, &q, NULL);
			CHECK_THAT(a == ANSWER_UNKNOWN || a == right, "seed %d, condition %u", (int)seed, i);
			CHECK_THAT(a != ANSWER_SAT || small_holds(&m, &q, &model), "seed %d, condition %u", (int)seed,
			           i);
			answers[right]++;
			missed += a == ANSWER_UNKNOWN;
		}
		solver_free(quick);
		model_release(&model);
		small_release(&m);
	}
	CHECK_THAT(answers[ANSWER_SAT] > 100 && answers[ANSWER_UNSAT] > 100 && missed < 150,
	           "%u sat, %u unsat, %u missed", answers[ANSWER_SAT], answers[ANSWER_UNSAT], missed);
}

// --- sets that are kept --------------------------------------------------------------------

// Many conditions on single bytes; what is kept has a limit, and answers stay right.
static void check_bounded(size_t bytes, size_t limit)
{
	enum { MANY = 10000 };
	struct two t;
	two_init(&t);
	t.env.bytes = bytes;
	for (uint32_t i = 0; i < MANY; i++) {
		uint32_t sum = expr_make(&t.pool, OP_ADD, 16, t.x, expr_const(&t.pool, 16, i), 0);
		uint32_t c = expr_eq(&t.pool, sum, 2 * i);
		const struct query q = {.conditions = &c, .n = 1, .seed = t.seed};
		enum answer a = solver_solve(t.quick, &q, &t.model);
		CHECK_THAT(a == (i < 256 ? ANSWER_SAT : ANSWER_UNSAT), "%u", i);
		CHECK(a == ANSWER_UNSAT || (t.model.n == 1 && t.model.values[0] == i));
		CHECK_THAT(quick_bytes(t.quick) <= limit, "%zu", quick_bytes(t.quick));
	}
	two_release(&t);
}

static void bounded(void)
{
	check_bounded(0, (size_t)2 << 20); // no limit: it is not more than it has to be
	check_bounded(1 << 20, 1 << 18);
	check_bounded(1000, 1 << 16); // less than the smallest table
}

static const struct test tests[] = {
	TEST(choices), TEST(small_queries), TEST(one_and_two_bytes), TEST(one_byte),      TEST(two_bytes),
	TEST(hashes),  TEST(floats),        TEST(scanners),          TEST(scanner_paths), TEST(bounded),
};

TEST_MAIN("quick")
