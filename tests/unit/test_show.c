#include "expr/show.h"
#include "small.h"
#include "test.h"

static const char *printed(const struct expr_pool *p, uint32_t id, size_t limit)
{
	struct buf out = {0};
	expr_print(p, id, limit, &out);
	const char *copy = test_printf("%s", out.data);
	buf_release(&out);
	return copy;
}

static const char *all_of(const struct expr_pool *p, uint32_t id)
{
	return printed(p, id, 2000);
}

static void inputs(void)
{
	struct expr_pool p;
	expr_pool_init(&p);
	uint32_t argument = expr_source(&p, input_source(INPUT_ARGUMENT, INPUT_BYTES, 1, "")),
		 in = expr_source(&p, input_source(INPUT_STDIN, INPUT_BYTES, 0, ""));
	uint32_t file = expr_source(&p, input_source(INPUT_FILE, INPUT_BYTES, 0, "config.ini")), bytes = 0;
	uint32_t length = expr_source(&p, input_source(INPUT_STDIN, INPUT_LENGTH, 0, ""));
	CHECK_STR("argv[1][3]", all_of(&p, expr_input(&p, argument, 3)));
	CHECK_STR("stdin[17]", all_of(&p, expr_input(&p, in, 17)));
	CHECK_STR("config.ini[9]", all_of(&p, expr_input(&p, file, 9)));
	CHECK_STR("config.ini[0x40]", all_of(&p, expr_input(&p, file, 0x40)));
	for (uint32_t i = 0; i < 4; i++) {
		uint32_t byte = expr_input(&p, length, i);
		bytes = i ? expr_make(&p, OP_CONCAT, 8 * (i + 1), byte, bytes, 0) : byte;
	}
	CHECK_STR("(length(stdin) <u 5)", all_of(&p, expr_make(&p, OP_ULT, 1, bytes, expr_const(&p, 32, 5), 0)));
	struct buf out = {0};
	expr_print_var(&p, 1, &out);
	bool same = strcmp(out.data, "stdin[17]") == 0;
	buf_release(&out);
	CHECK(same);
	expr_pool_release(&p);
}

static void numbers(void)
{
	struct expr_pool p;
	expr_pool_init(&p);
	CHECK_STR("1", all_of(&p, expr_const(&p, 1, 1)));
	CHECK_STR("-1", all_of(&p, expr_const(&p, 8, 255)));
	CHECK_STR("0x12345678", all_of(&p, expr_const(&p, 32, 0x12345678)));
	CHECK_STR("-2", all_of(&p, expr_const(&p, 128, (eval_value)0 - 2)));
	CHECK_STR("0x10000000000000002", all_of(&p, expr_const(&p, 128, ((eval_value)1 << 64) + 2)));
	expr_pool_release(&p);
}

static void operators(void)
{
	struct small m;
	small_init(&m, 2, 1);
	struct expr_pool *p = &m.pool;
	uint32_t a = p->vars[0].expr, b = p->vars[1].expr, exprs[] = {0, b, 0, 0};
	uint32_t less = expr_make(p, OP_SLT, 1, a, b, 0), at = expr_make(p, OP_ZEXT, 64, a, 0, 0);
	CHECK_STR("!(stdin[0] < stdin[1])", all_of(p, expr_not(p, less)));
	CHECK_STR("stdin[0]{2:0}", all_of(p, m.bits[0]));
	CHECK_STR("ite((stdin[0] < stdin[1]), stdin[1], stdin[0])", all_of(p, expr_make(p, OP_ITE, 8, less, b, a)));
	CHECK_STR("SADDO(stdin[0], stdin[1])", all_of(p, expr_make(p, OP_SADDO, 1, a, b, 0)));
	CHECK_STR("CTPOP(stdin[0])", all_of(p, expr_make(p, OP_CTPOP, 8, a, 0, 0)));
	const uint8_t bytes[] = {1, 2, 3, 4};
	CHECK_STR("{1, 2, 3, 4}[u64(stdin[0])]", all_of(p, expr_lookup(p, 8, at, expr_table(p, bytes, NULL, 4))));
	CHECK_STR("{stdin[1]:1, 1027}[u64(stdin[0])]",
	          all_of(p, expr_lookup(p, 16, at, expr_table(p, bytes, exprs, 4))));
	small_release(&m);
}

// Long and deep ones end at about the limit.
static void limits(void)
{
	struct small m;
	small_init(&m, 3, 1);
	uint32_t sum = m.bits[0];
	for (uint32_t i = 0; i < 100000; i++)
		sum = expr_make(&m.pool, OP_ADD, 3, sum, sum, 0);
	CHECK(strlen(printed(&m.pool, sum, 100)) < 1000);
	for (uint32_t i = 0; i < 500; i++)
		CHECK(strlen(printed(&m.pool, small_condition(&m, 0, 3, 6), 200)) < 2000);
	small_release(&m);
}

static const struct test tests[] = {TEST(inputs), TEST(numbers), TEST(operators), TEST(limits)};

TEST_MAIN("show")
