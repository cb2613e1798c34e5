#include "base/mem.h"
#include "expr/tape.h"
#include "small.h"
#include "solver/near.h"
#include "test.h"

// Hands out the model that it was given.
struct launch {
	struct solver solver;
	const struct model *model;
};

static enum answer give(struct solver *solver, const struct query *q, struct model *ret)
{
	model_copy(ret, ((struct launch *)solver)->model);
	return ANSWER_SAT;
}

static void release_nothing(struct solver *solver)
{
}

static struct solver *near_launch(struct solver_env *env, const struct model *m)
{
	static const struct solver_type type = {"given", give, release_nothing};
	struct launch *g = solver_new(&type, sizeof *g, env, NULL);
	g->model = m;
	return near_new(env, &g->solver);
}

// No single changed byte can be put back.
static bool is_minimal(struct small *m, const struct query *q, struct model *model)
{
	for (uint32_t i = 0; i < model->n; i++) {
		uint8_t value = model->values[i];
		if (value == q->seed[model->vars[i]])
			continue;
		model->values[i] = q->seed[model->vars[i]];
		bool holds = small_holds(m, q, model);
		model->values[i] = value;
		if (holds)
			return false;
	}
	return true;
}

static uint32_t changed(const struct model *model, const uint8_t *seed)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < model->n; i++)
		n += model->values[i] != seed[model->vars[i]];
	return n;
}

// Any assignment, and conditions that are true of it.
static void minimal(void)
{
	enum { MOST = 60 };
	struct small m;
	uint64_t before = 0, after = 0;
	for (uint64_t round = 0; round < 400; round++) {
		uint32_t n_vars = 3 + (uint32_t)round % 60, conditions[MOST], n;
		small_init(&m, n_vars, round);
		struct model launch = {0}, model = {0};
		uint8_t bytes[SMALL_VARS];
		for (uint32_t i = 0; i < n_vars; i++) {
			bytes[i] = (uint8_t)random_next(&m.random);
			model_add(&launch, i, bytes[i]);
		}
		n = 1 + random_below(&m.random, MOST);
		for (uint32_t i = 0; i < n; i++) {
			uint32_t width = 1 + random_below(&m.random, 3);
			uint32_t c = small_condition(&m, random_below(&m.random, n_vars - width + 1), width, 3);
			conditions[i] = expr_eval(&m.pool, c, bytes) ? c : expr_not(&m.pool, c);
		}
		struct query q = {.conditions = conditions, .n = n, .seed = m.seed};
		struct solver *s = near_launch(&m.env, &launch);
		CHECK_INT(ANSWER_SAT, solver_solve(s, &q, &model));
		CHECK_THAT(small_holds(&m, &q, &model), "round %llu", (unsigned long long)round);
		CHECK_THAT(is_minimal(&m, &q, &model), "round %llu", (unsigned long long)round);
		CHECK_INT(changed(&launch, m.seed), near_counts(s).changed_before);
		CHECK_INT(changed(&model, m.seed), near_counts(s).changed_after);
		CHECK_INT(0, near_counts(s).limited);
		before += near_counts(s).changed_before;
		after += near_counts(s).changed_after;
		for (uint32_t i = 0; i < n_vars; i++) // variables that are not in the model may have any value
			m.seed[i] = (uint8_t)random_next(&m.random);
		CHECK_THAT(small_holds(&m, &q, &model), "round %llu", (unsigned long long)round);
		solver_free(s);
		model_release(&launch);
		model_release(&model);
		small_release(&m);
	}
	CHECK(after > 100 && after < before / 2);
}

// Answers are those of the next stage.
static void same_answers(void)
{
	struct small m;
	struct model model = {0};
	uint32_t answers[3] = {0};
	for (uint64_t round = 0; round < 400; round++) {
		small_init(&m, 3, round);
		struct solver *s = near_new(&m.env, small_solver(&m, round % 4 ? 0 : 3));
		uint32_t conditions[4], wishes[3], n = 1 + random_below(&m.random, 4);
		for (uint32_t i = 0; i < n; i++)
			conditions[i] = small_condition(&m, 0, 3, 3);
		for (uint32_t i = 0; i < 3; i++)
			wishes[i] = small_condition(&m, 0, 3, 1);
		near_set_wishes(s, wishes, round % 4);
		struct query q = {.conditions = conditions, .n = n, .seed = m.seed};
		enum answer expected = small_answer(&m, &q, NULL), a = solver_solve(s, &q, &model);
		answers[a]++;
		CHECK(a == expected || (a == ANSWER_UNKNOWN && round % 4 == 0));
		CHECK(a != ANSWER_SAT || small_holds(&m, &q, &model));
		solver_free(s);
		small_release(&m);
	}
	model_release(&model);
	CHECK(answers[ANSWER_SAT] > 50 && answers[ANSWER_UNSAT] > 50 && answers[ANSWER_UNKNOWN] > 10);
}

// --- bytes ---------------------------------------------------------------------------------------

// The value that the byte gets for which the seed has `seed` and the solver `value`.
static uint8_t nearest(struct small *m, uint32_t condition, uint8_t seed, uint8_t value)
{
	struct model launch = {0}, model = {0};
	uint8_t seeds[] = {seed, 0};
	model_add(&launch, 0, value);
	model_add(&launch, 1, 77); // not in the condition
	struct query q = {.conditions = &condition, .n = 1, .seed = seeds};
	struct solver *s = near_launch(&m->env, &launch);
	enum answer a = solver_solve(s, &q, &model);
	bool fine = a == ANSWER_SAT && model.n == 1 && model.vars[0] == 0 && small_holds(m, &q, &model);
	uint8_t r = model.n ? model.values[0] : 0;
	solver_free(s);
	model_release(&launch);
	model_release(&model);
	CHECK(fine);
	return r;
}

static void nicer_values(void)
{
	struct small m;
	small_init(&m, 2, 1);
	struct expr_pool *p = &m.pool;
	uint32_t byte = p->vars[0].expr;
	uint32_t above_f = expr_make(p, OP_ULT, 1, expr_const(p, 8, 'f'), byte, 0);
	CHECK_INT('g', nearest(&m, above_f, 'a', 0xff));
	CHECK_INT('0', nearest(&m, expr_not(p, expr_eq(p, byte, '5')), '5', 0));
	CHECK_INT('A', nearest(&m, expr_not(p, expr_eq(p, byte, 'X')), 'X', 0x80));
	CHECK_INT(' ', nearest(&m, expr_not(p, expr_eq(p, byte, '=')), '=', 0x80));
	CHECK_INT('z', nearest(&m, above_f, 'a', 'z'));  // printable: as the solver says
	CHECK_INT(0xff, nearest(&m, above_f, 7, 0xff));  // the seed's is not printable either
	CHECK_INT('x', nearest(&m, above_f, 'x', 0xff)); // need not change
	CHECK_INT(0xff, nearest(&m, expr_eq(p, byte, 0xff), 'x', 0xff));
	small_release(&m);
}

// A nicer value of one byte can be what lets another go back.
static void nicer_then_nearer(void)
{
	struct small m;
	struct model launch = {0}, model = {0};
	small_init(&m, 2, 1);
	struct expr_pool *p = &m.pool;
	uint32_t x = p->vars[0].expr, y = p->vars[1].expr;
	uint32_t ascii = expr_make(p, OP_ULT, 1, x, expr_const(p, 8, 0x80), 0);
	uint32_t conditions[] = {expr_not(p, expr_eq(p, x, 'a')),
	                         expr_make(p, OP_OR, 1, ascii, expr_not(p, expr_eq(p, y, 'b')), 0)};
	struct query q = {.conditions = conditions, .n = 2, .seed = (const uint8_t *)"ab"};
	model_add(&launch, 0, 0x80);
	model_add(&launch, 1, 'z');
	struct solver *s = near_launch(&m.env, &launch);
	CHECK_INT(ANSWER_SAT, solver_solve(s, &q, &model));
	CHECK_INT(1, near_counts(s).nicer);
	CHECK(small_holds(&m, &q, &model) && is_minimal(&m, &q, &model));
	CHECK_INT(1, changed(&model, q.seed));
	solver_free(s);
	model_release(&launch);
	model_release(&model);
	small_release(&m);
}

// Nothing is minimal at this size, but it ends, with a model.
static void limit(void)
{
	enum { MANY = 4000 };
	struct expr_pool p;
	expr_pool_init(&p);
	struct solver_env env = {.pool = &p};
	struct model launch = {0}, model = {0};
	uint8_t *seed = test_alloc(MANY);
	uint32_t source = expr_source(&p, input_source(INPUT_STDIN, INPUT_BYTES, 0, "")), sum = expr_const(&p, 32, 0);
	for (uint32_t i = 0; i < MANY; i++) {
		uint32_t byte = expr_input(&p, source, i);
		sum = expr_make(&p, OP_ADD, 32, sum, expr_make(&p, OP_ZEXT, 32, byte, 0, 0), 0);
		model_add(&launch, i, 1);
		seed[i] = 0;
	}
	uint32_t condition = expr_eq(&p, sum, MANY);
	struct query q = {.conditions = &condition, .n = 1, .seed = seed};
	struct solver *s = near_launch(&env, &launch);
	CHECK_INT(ANSWER_SAT, solver_solve(s, &q, &model));
	CHECK_INT(MANY, changed(&model, seed));
	CHECK_INT(1, near_counts(s).limited);
	CHECK(near_counts(s).steps <= NEAR_STEPS);
	solver_free(s);
	model_release(&launch);
	model_release(&model);
	expr_pool_release(&p);
}

// --- wishes --------------------------------------------------------------------------------------

static bool fulfils(struct small *m, uint32_t condition, const struct model *model)
{
	struct query q = {.conditions = &condition, .n = 1, .seed = m->seed};
	return small_holds(m, &q, model);
}

// A wish is granted exactly when it is possible with the query and those granted before it.
static void wishes_in_order(void)
{
	enum { WISHES = 5 };
	struct small m;
	struct model model = {0};
	uint64_t granted = 0, refused = 0;
	for (uint64_t round = 0; round < 300; round++) {
		small_init(&m, 3, round);
		struct solver *s = near_new(&m.env, small_solver(&m, 0));
		uint32_t conditions[1 + WISHES], wishes[WISHES], n = 1;
		conditions[0] = small_condition(&m, 0, 3, 3);
		for (uint32_t i = 0; i < WISHES; i++)
			wishes[i] = small_condition(&m, 0, 3, 1);
		near_set_wishes(s, wishes, WISHES);
		struct query q = {.conditions = conditions, .n = 1, .seed = m.seed};
		struct tape t;
		tape_init(&t, &m.pool);
		tape_add(&t, conditions[0]);
		uint32_t vars = t.n_vars;
		tape_release(&t);
		bool sat = vars == 3 && solver_solve(s, &q, &model) == ANSWER_SAT;
		for (uint32_t i = 0; sat && i < WISHES; i++) {
			conditions[n] = wishes[i];
			struct query more = {.conditions = conditions, .n = n + 1, .seed = m.seed};
			bool possible = small_answer(&m, &more, NULL) == ANSWER_SAT;
			CHECK_THAT(fulfils(&m, wishes[i], &model) == possible, "round %llu, %u",
			           (unsigned long long)round, i);
			n += possible;
		}
		q.n = n; // with what was granted, no byte can be put back
		CHECK(!sat || is_minimal(&m, &q, &model));
		CHECK(near_counts(s).asks <= NEAR_ASKS);
		granted += near_counts(s).granted;
		refused += near_counts(s).refused;
		solver_free(s);
		small_release(&m);
	}
	model_release(&model);
	CHECK_THAT(granted > 100 && refused > 30, "%u granted, %u refused", (unsigned)granted, (unsigned)refused);
}

static uint64_t asked(const struct solver *s)
{
	return s->answers[0] + s->answers[1] + s->answers[2];
}

// Wishes cost nothing when there is no model, when it fulfils them by itself, or when they are about
// something else.
static void wishes_cost_little(void)
{
	struct small m;
	struct model model = {0};
	small_init(&m, 2, 1);
	struct expr_pool *p = &m.pool;
	m.seed[0] = m.seed[1] = 0;
	struct solver *next = small_solver(&m, 0), *s = near_new(&m.env, next);
	uint32_t a = expr_not(p, expr_eq(p, m.bits[0], 0)), no = expr_not(p, a);
	uint32_t wish[] = {expr_not(p, expr_eq(p, m.bits[0], 7)), expr_eq(p, m.bits[1], 5)};
	struct query q = {.conditions = &a, .n = 1, .seed = m.seed},
		     unsat = {.conditions = (uint32_t[]){a, no}, .n = 2, .seed = m.seed};
	near_set_wishes(s, wish, 2);
	CHECK_INT(ANSWER_UNSAT, solver_solve(s, &unsat, &model));
	CHECK_INT(1, asked(next));
	CHECK_INT(ANSWER_SAT, solver_solve(s, &q, &model));
	CHECK_INT(2, asked(next));
	CHECK_INT(1, near_counts(s).granted);
	wish[0] = expr_eq(p, m.bits[0], 7);
	near_set_wishes(s, wish, 1);
	CHECK_INT(ANSWER_SAT, solver_solve(s, &q, &model));
	CHECK_INT(4, asked(next));
	CHECK_INT(7, model.values[0]);
	near_set_wishes(s, NULL, 0);
	CHECK_INT(ANSWER_SAT, solver_solve(s, &q, &model));
	CHECK_INT(5, asked(next));
	CHECK_INT(1, model.values[0]);
	model_release(&model);
	solver_free(s);
	small_release(&m);
}

// --- conditions ----------------------------------------------------------------------------------

// By the definition: decode, then ask whether the number may be written like that.
static bool valid_utf8(const uint8_t *s, uint32_t n)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	for (uint32_t i = 0; i < n;) {
		uint32_t size = s[i] < 0x80   ? 1
		                : s[i] < 0xc0 ? 0
		                : s[i] < 0xe0 ? 2
		                : s[i] < 0xf0 ? 3
		                : s[i] < 0xf8 ? 4
		                              : 0;
		if (!size || size > n - i)
			return false;
		uint32_t c = size == 1 ? s[i] : s[i] & (0x7fu >> size);
		for (uint32_t k = 1; k < size; k++) {
			if ((s[i + k] & 0xc0) != 0x80)
				return false;
			c = c << 6 | (s[i + k] & 0x3f);
		}
		if (c < least[size] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
			return false;
		i += size;
	}
	return true;
}

static void utf8(void)
{
	static const uint8_t likely[] = {0,    0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0,
	                                 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff, 'a',  0x85};
	struct expr_pool p;
	uint64_t r = 1;
	uint32_t valid = 0;
	for (uint32_t n = 0; n <= 6; n++) {
		expr_pool_init(&p);
		uint32_t source = expr_source(&p, input_source(INPUT_ARGUMENT, INPUT_BYTES, 1, "")),
			 e = near_utf8(&p, source, 0, n);
		for (uint32_t i = 0; i < 20000 && (n || !i); i++) {
			uint8_t bytes[8] = {0}, in_order[8] = {0};
			for (uint32_t k = 0; k < n; k++)
				bytes[k] = likely[random_below(&r, COUNT(likely))];
			for (uint32_t v = 0; v < p.n_vars; v++)
				in_order[v] = bytes[p.vars[v].offset];
			bool expected = valid_utf8(bytes, n);
			CHECK_THAT(expected == (expr_eval(&p, e, in_order) != 0), "%02x %02x %02x %02x", bytes[0],
			           bytes[1], bytes[2], bytes[3]);
			valid += expected;
		}
		expr_pool_release(&p);
	}
	CHECK(valid > 1000);
}

static void bytes_and_lengths(void)
{
	struct expr_pool p;
	expr_pool_init(&p);
	uint32_t string = expr_source(&p, input_source(INPUT_ARGUMENT, INPUT_BYTES, 1, ""));
	uint32_t number = expr_source(&p, input_source(INPUT_STDIN, INPUT_LENGTH, 0, ""));
	uint32_t other = expr_source(&p, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "x"));
	uint8_t bytes[8];
	for (uint32_t i = 0; i < 4; i++)
		expr_input(&p, string, i);
	for (uint32_t i = 0; i < 4; i++)
		expr_input(&p, number, i);
	uint32_t any = near_printable(&p, p.vars[0].expr, 'a'), as_was = near_printable(&p, p.vars[0].expr, 0);
	for (unsigned i = 0; i < 256; i++) {
		bytes[0] = (uint8_t)i;
		CHECK_INT(i >= ' ' && i <= '~', expr_eval(&p, any, bytes));
		CHECK_INT((i >= ' ' && i <= '~') || i == 0, expr_eval(&p, as_was, bytes));
	}
	uint32_t same = near_same_length(&p, string, 3), same_number = near_same_length(&p, number, 0x1234);
	memcpy(bytes, "abc\0\x34\x12\0\0", 8);
	CHECK(expr_eval(&p, same, bytes) && expr_eval(&p, same_number, bytes));
	memcpy(bytes, "abcd\x34\x12\1\0", 8);
	CHECK(!expr_eval(&p, same, bytes) && !expr_eval(&p, same_number, bytes));
	memcpy(bytes, "a\0c\0\x34\x11\0\0", 8);
	CHECK(!expr_eval(&p, same, bytes) && !expr_eval(&p, same_number, bytes));
	CHECK_INT(expr_const(&p, 1, 1), near_same_length(&p, other, 3));
	CHECK_INT(8, p.n_vars);
	expr_pool_release(&p);
}

static const struct test tests[] = {
	TEST(minimal),         TEST(same_answers),       TEST(nicer_values), TEST(nicer_then_nearer), TEST(limit),
	TEST(wishes_in_order), TEST(wishes_cost_little), TEST(utf8),         TEST(bytes_and_lengths),
};

TEST_MAIN("near")
