// Every operator of abi/ops.def, through everything that has to know it: evaluation, SMT-LIB, circuits, Z3, the
// printer, don't-care analysis. They are independent of each other; under random operands all have to agree.
#include <math.h>
#include <string.h>
#include <z3.h>

#include "abi/op.h"
#include "expr/tape.h"
#include "made.h"
#include "query.h"
#include "solver/care_words.h"
#include "solver/solver.h"
#include "test.h"

enum { BYTES = 24, ROUNDS = 4 };

struct bench {
	struct expr_pool pool;
	struct solver_env env;
	uint64_t random;
	uint32_t inputs[BYTES];
	uint8_t bytes[BYTES];
};

static void begin(struct bench *b)
{
	*b = (struct bench){.random = 11};
	expr_pool_init(&b->pool);
	b->env.pool = &b->pool;
	uint32_t source = expr_source(&b->pool, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "x"));
	for (unsigned i = 0; i < BYTES; i++)
		b->inputs[i] = expr_input(&b->pool, source, i);
}

static uint32_t value_at(struct bench *b, unsigned width, unsigned from)
{
	uint32_t e = b->inputs[from];
	for (unsigned i = 1; 8 * i < width; i++)
		e = expr_make(&b->pool, OP_CONCAT, 8 * i + 8, b->inputs[from + i], e, 0);
	return expr_width(&b->pool, e) > width ? expr_make(&b->pool, OP_EXTRACT, width, e, 0, 0) : e;
}

static uint32_t lookup_of(struct bench *b)
{
	static const uint8_t bytes[] = {3, 1, 4, 1, 5, 9, 2, 6};
	uint32_t exprs[8] = {0, 0, 0, b->inputs[9]};
	uint32_t table = expr_table(&b->pool, bytes, exprs, sizeof bytes);
	uint32_t at = expr_make(&b->pool, OP_AND, 8, b->inputs[0], expr_const(&b->pool, 8, 15), 0);
	return expr_lookup(&b->pool, 16, expr_make(&b->pool, OP_ZEXT, 64, at, 0, 0), table);
}

// The operator on operands of that width. No default: an operator of a new class has to say here what it works on.
static uint32_t node_of(struct bench *b, unsigned op, unsigned width)
{
	struct expr_pool *p = &b->pool;
	uint32_t x = value_at(b, width, 0), y = value_at(b, width, 8);
	switch (op_class(op)) {
	case OP_CLASS_LEAF: return op == OP_INPUT ? b->inputs[0] : expr_const(p, width, 5);
	case OP_CLASS_RESIZE:
		return op == OP_EXTRACT  ? expr_make(p, op, width / 2, x, width / 4, 0)
		       : op == OP_CONCAT ? expr_make(p, op, 2 * width, x, y, 0)
		                         : expr_make(p, op, width + 9, x, 0, 0);
	case OP_CLASS_CHOICE: return expr_make(p, op, width, value_at(b, 1, 16), x, y);
	case OP_CLASS_TABLE: return lookup_of(b);
	case OP_CLASS_FLOAT_TO_INTEGER:
		return op == OP_DIGITS ? expr_make(p, op, 64, x, value_at(b, 64, 8), 0) : expr_make(p, op, 32, x, 0, 0);
	case OP_CLASS_INTEGER_TO_FLOAT:
		return op == OP_DECIMAL ? expr_make(p, op, 64, value_at(b, 64, 0), value_at(b, 64, 8), 0)
		                        : expr_make(p, op, 64, x, 0, 0);
	case OP_CLASS_FLOAT_TO_FLOAT: return expr_make(p, op, 96 - width, x, 0, 0);
	case OP_CLASS_ARITHMETIC:
	case OP_CLASS_DIVISION:
	case OP_CLASS_SHIFT:
	case OP_CLASS_BITWISE:
	case OP_CLASS_COMPARISON:
	case OP_CLASS_OVERFLOW:
	case OP_CLASS_BIT_COUNT:
	case OP_CLASS_FLOAT:
		if (op == OP_FCALL)
			return expr_make(p, op, width, x, random_below(&b->random, LIBM_nearbyint + 1), 0);
		if (op == OP_FCALL2)
			return expr_make(p, op, width, x, y, LIBM_fmod);
		if (op == OP_FMA)
			return expr_make(p, op, width, x, y, value_at(b, width, 16));
		// fall through
	case OP_CLASS_FLOAT_COMPARISON:
		return expr_make(p, op, op_gives_bit(op) ? 1 : width, x, op_operands(op) > 1 ? y : 0, 0);
	}
	CHECK(false);
	return 0;
}

// Operands that are often small, or equal. Floats are ordinary numbers, and so is what comes of them: the bits of what
// is not a number are not one value in SMT-LIB.
static void draw(struct bench *b, unsigned op, unsigned width, unsigned round)
{
	for (unsigned i = 0; i < BYTES; i++)
		b->bytes[i] = round % 2 ? (uint8_t)random_next(&b->random)
		              : i % 8   ? 0
		                        : (uint8_t)random_below(&b->random, 20);
	if (round % 4 == 2)
		memcpy(b->bytes + 8, b->bytes, 8);
	for (unsigned i = 0; op_is_float(op) && i < 3; i++)
		b->bytes[8 * i + width / 8 - 1] =
			(uint8_t)(0x3f + (op == OP_FSQRT ? 0 : random_below(&b->random, 2) * 0x80));
}

// The input is as drawn, and the expression is not what it evaluates to.
static uint32_t contradiction(struct bench *b, uint32_t e, uint32_t *conditions)
{
	for (unsigned i = 0; i < BYTES; i++)
		conditions[i] = expr_eq(&b->pool, b->inputs[i], b->bytes[i]);
	conditions[BYTES] = expr_not(&b->pool, expr_eq(&b->pool, e, expr_eval(&b->pool, e, b->bytes)));
	return BYTES + 1;
}

static bool refuted(struct bench *b, struct solver *solver, uint32_t e)
{
	uint32_t conditions[BYTES + 1];
	struct model model = {0};
	struct query q = {.conditions = conditions, .n = contradiction(b, e, conditions), .seed = b->bytes};
	enum answer answer = solver_solve(solver, &q, &model);
	model_release(&model);
	return answer == ANSWER_UNSAT;
}

// As `veer path --smt2` writes it: Z3's own reader has to understand it, and to refute it.
static bool refuted_as_text(struct bench *b, Z3_context z3, uint32_t e)
{
	uint32_t conditions[BYTES + 1];
	uint32_t n = contradiction(b, e, conditions);
	struct made m;
	struct buf text = {0};
	made_init(&m);
	made_input(&m, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "x"), b->bytes, BYTES);
	for (uint32_t i = 0; i < n; i++)
		made_event(&m, EVENT_BRANCH, made_expr(&m, &b->pool, conditions[i]), 1);
	struct trace t = made_trace(&m);
	trace_print_smt(&t, n - 1, false, &text);
	Z3_eval_smtlib2_string(z3, "(reset)");
	Z3_string answer = Z3_eval_smtlib2_string(z3, text.data);
	bool is = strncmp(answer, "unsat", 5) == 0;
	if (!is)
		fprintf(stderr, "%s\n%s\n", answer, text.data);
	buf_release(&text);
	return is;
}

// What don't-care analysis leaves free makes no difference.
static bool free_bits_are_free(struct bench *b, uint32_t e)
{
	uint32_t holds = expr_eq(&b->pool, e, expr_eval(&b->pool, e, b->bytes));
	uint8_t masks[BYTES] = {0}, filled[BYTES];
	struct tape t;
	tape_init(&t, &b->pool);
	uint32_t root = tape_add(&t, holds);
	tape_load(&t, b->bytes);
	tape_run(&t);
	care_words(&t, &root, 1, masks);
	tape_release(&t);
	for (int k = 0; k < 20; k++) {
		for (unsigned i = 0; i < BYTES; i++)
			filled[i] = (uint8_t)((b->bytes[i] & masks[i]) | (random_next(&b->random) & ~masks[i]));
		if (!expr_eval(&b->pool, holds, filled))
			return false;
	}
	return true;
}

static void each_through(struct bench *b, unsigned op, unsigned width, struct solver *circuits, struct solver *z3,
                         Z3_context reader)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		draw(b, op, width, round);
		uint32_t e = node_of(b, op, width);
		bool known =
			op != OP_FCALL2 && op != OP_DECIMAL && op != OP_DIGITS; // what libm computes is libm's business
		CHECK_THAT(refuted(b, z3, e) == known, "Z3: %s of %u bits", op_name(op), width);
		CHECK_THAT(!known || refuted_as_text(b, reader, e), "SMT-LIB: %s of %u bits", op_name(op), width);
		if (!op_is_float(op)) // have no circuits
			CHECK_THAT(refuted(b, circuits, e), "circuit: %s of %u bits", op_name(op), width);
		CHECK_THAT(free_bits_are_free(b, e), "care: %s of %u bits", op_name(op), width);
	}
}

static void all_agree(void)
{
	static const unsigned widths[] = {8, 12, 32}, formats[] = {32, 64};
	struct bench b;
	begin(&b);
	struct solver *circuits = sat_new(&b.env, NULL), *z3 = z3_here_new(&b.env);
	Z3_config config = Z3_mk_config();
	Z3_context reader = Z3_mk_context(config);
	for (unsigned op = 0; op < OP_COUNT; op++) {
		bool is_float = op_is_float(op);
		bool heavy = op_cost(op) == OP_COST_QUOTIENT || op_cost(op) == OP_COST_PRODUCT;
		for (unsigned i = 0; i < (is_float ? 2u : heavy ? 2u : 3u); i++)
			each_through(&b, op, is_float ? formats[i] : widths[i], circuits, z3, reader);
	}
	Z3_del_context(reader);
	Z3_del_config(config);
	solver_free(circuits);
	solver_free(z3);
	expr_pool_release(&b.pool);
}

static void are_printed(void)
{
	struct bench b;
	begin(&b);
	for (unsigned op = OP_INPUT + 1; op < OP_COUNT; op++) {
		struct made m;
		struct buf text = {0};
		made_init(&m);
		made_input(&m, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "x"), b.bytes, BYTES);
		uint32_t label = made_expr(&m, &b.pool, node_of(&b, op, 32));
		struct trace t = made_trace(&m);
		trace_print(&t, label, 1000, &text);
		CHECK_THAT(text.len && !strstr(text.data, "..."), "%s: %s", op_name(op), text.data);
		if (op_infix(op))
			CHECK_THAT(strstr(text.data, op_infix(op)) != NULL, "%s: %s", op_name(op), text.data);
		buf_release(&text);
	}
	expr_pool_release(&b.pool);
}

// The column is right both ways; of floats only what a simplification relies on.
static void those_that_commute_do(void)
{
	struct bench b;
	begin(&b);
	for (unsigned op = 0; op < OP_COUNT; op++) {
		bool always = true;
		if (op_operands(op) != 2 || op == OP_CONCAT || op_is_float(op)) {
			CHECK_THAT(!op_commutes(op), "%s", op_name(op));
			continue;
		}
		uint32_t x = value_at(&b, 8, 0), y = value_at(&b, 8, 8);
		unsigned width = op_gives_bit(op) ? 1 : 8;
		uint32_t one = expr_make(&b.pool, op, width, x, y, 0), other = expr_make(&b.pool, op, width, y, x, 0);
		for (unsigned round = 0; round < 200; round++) {
			draw(&b, op, 8, round);
			always &= expr_eval(&b.pool, one, b.bytes) == expr_eval(&b.pool, other, b.bytes);
		}
		CHECK_THAT(op_commutes(op) == always, "%s", op_name(op));
	}
	expr_pool_release(&b.pool);
}

// Half precision against the compiler's, both ways.
static void halves_are_the_compilers(void)
{
#ifdef __FLT16_MANT_DIG__
	uint64_t r = 3;
	for (unsigned bits = 0; bits < 65536; bits++) {
		_Float16 h;
		memcpy(&h, &bits, sizeof h);
		long double x = eval_float(bits, 16), y = h;
		CHECK_THAT(x != x ? y != y : memcmp(&x, &y, 10) == 0, "from %x", bits);
		CHECK_THAT(eval_bits(x, 16) == (x != x ? bits | 0x200 : bits), "to %x", bits);
	}
	for (unsigned i = 0; i < 200000; i++) {
		uint64_t near =
			(uint64_t)(0x3ff - 26 + random_below(&r, 44)) << 52 | (random_next(&r) & 0x800fffffffffffff);
		if (i % 2)
			near &= ~0ull << (40 + random_below(&r, 4)); // often half way between two
		double d;
		memcpy(&d, &near, sizeof d);
		_Float16 h = (_Float16)d;
		uint16_t bits;
		memcpy(&bits, &h, sizeof bits);
		CHECK_THAT(eval_bits(d, 16) == bits, "of %a", d);
	}
#endif
}

// Evaluation is libm's.
static void functions_are_libms(void)
{
	struct bench b;
	begin(&b);
	double x = 2.75, y = 0.3;
	memcpy(b.bytes, &x, 8);
	memcpy(b.bytes + 8, &y, 8);
	const struct {
		unsigned function;
		double expected;
	} known[] = {
		{LIBM_floor, 2},          {LIBM_sin, sin(x)},         {LIBM_log10, log10(x)},
		{LIBM_pow, pow(x, y)},    {LIBM_fmod, fmod(x, y)},    {LIBM_frexp_fraction, 0.6875},
		{LIBM_frexp_exponent, 2}, {LIBM_modf_fraction, 0.75},
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		unsigned f = known[i].function;
		bool one = libm_operands(f) == 1;
		uint32_t e = expr_make(&b.pool, one ? OP_FCALL : OP_FCALL2, 64, value_at(&b, 64, 0),
		                       one ? f : value_at(&b, 64, 8), one ? 0 : f);
		CHECK_THAT(expr_eval(&b.pool, e, b.bytes) == eval_bits(known[i].expected, 64), "%s", libm_name(f));
		bool unknown = b.pool.nodes[e].flags & EXPR_LIBM;
		CHECK_THAT(unknown == (libm_rounding(f) == LIBM_NONE), "%s", libm_name(f));
	}
	expr_pool_release(&b.pool);
}

static const struct test tests[] = {TEST(halves_are_the_compilers), TEST(functions_are_libms), TEST(all_agree),
                                    TEST(are_printed), TEST(those_that_commute_do)};

TEST_MAIN("ops")
