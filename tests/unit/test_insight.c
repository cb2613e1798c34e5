#include "explain/insight.h"

#include "base/mem.h"
#include "made.h"
#include "test.h"

static struct made m;
static struct explanation x;
static uint32_t input;

static void begin(const char *bytes)
{
	made_init(&m);
	input = made_input(&m, input_source(INPUT_STDIN, INPUT_BYTES, 0, ""), bytes, (uint32_t)strlen(bytes));
	x = (struct explanation){0};
	x.finding = (struct stored_finding){.kind = mem_strdup("x"),
	                                    .level = LEVEL_ERROR,
	                                    .program = mem_strdup("/bin/p"),
	                                    .file = mem_strdup("/src/p.c"),
	                                    .function = mem_strdup("f"),
	                                    .stack = mem_strdup("f /src/p.c:9\nmain /src/q.c:3"),
	                                    .report = mem_strdup(""),
	                                    .line = 9};
}

static void take(void)
{
	struct trace t = made_trace(&m);
	insight_take(&x, &t, NULL);
}

static void end(void)
{
	explanation_release(&x);
}

static uint32_t byte(uint32_t offset)
{
	return made_byte(&m, input, offset);
}

static uint32_t is(uint32_t offset, char c)
{
	return made_node(&m, OP_EQ, 1, byte(offset), made_const(&m, 8, (uint8_t)c), 0);
}

static uint32_t wide(uint32_t offset, unsigned width)
{
	return made_node(&m, OP_ZEXT, width, byte(offset), 0, 0);
}

static uint32_t event(uint32_t line, unsigned kind, uint32_t label, uint64_t value)
{
	uint32_t e = made_event(&m, kind, label, value);
	made_events(&m)[e].site = made_site(&m, line == 3 ? "/src/q.c" : "/src/p.c", "f", line, 255);
	return e;
}

static void the_path(void)
{
	begin("ab1x7");
	event(3, EVENT_BRANCH, is(0, 'a'), 1);
	event(4, EVENT_BRANCH, is(0, 'b'), 0); // follows
	event(5, EVENT_BRANCH, made_node(&m, OP_ULT, 1, byte(1), made_const(&m, 8, 'n'), 0), 1);
	event(6, EVENT_BRANCH, is(1, 'z'), 0); // follows
	event(7, EVENT_CONCRETE, wide(3, 64), 'x');
	take();
	CHECK_INT(3, x.n_steps);
	CHECK_STR("stdin[0] == 'a'", x.steps[0].condition);
	CHECK(!x.steps[0].now);
	CHECK_STR("q.c", x.steps[0].name);
	CHECK_STR("stdin[1] <= 'm'", x.steps[1].condition);
	CHECK_STR("value 'b'", x.steps[1].now);
	CHECK_STR("stdin[3] decides the value", x.steps[2].condition);
	CHECK_INT(2, x.steps_implied);
	end();
}

// Loops.
static void what_is_repeated(void)
{
	static const char text[] = "abcdefghijklmnopqrst";
	uint32_t first = 0, second = 0;
	begin(text);
	event(2, EVENT_BRANCH, is(0, 'b'), 0);
	for (uint32_t i = 0; i < 10; i++) {
		uint32_t a = made_event(&m, EVENT_BRANCH, is(i + 1, '-'), 0);
		uint32_t b = made_event(&m, EVENT_BRANCH, is(i + 1, ' '), 0);
		first = i ? first : made_site(&m, "/src/p.c", "f", 5, 255);
		second = i ? second : made_site(&m, "/src/p.c", "f", 6, 255);
		made_events(&m)[a].site = first;
		made_events(&m)[b].site = second;
	}
	event(8, EVENT_BRANCH, is(15, 'b'), 0);
	take();
	CHECK_INT(4, x.n_steps);
	CHECK_INT(2, x.steps[2].period);
	CHECK_INT(9, x.steps[2].again);
	CHECK_STR("stdin[1] != ' '", x.steps[2].condition);
	CHECK_INT(0, x.steps[3].again);
	end();
}

static uint32_t check(unsigned kind, uint32_t label)
{
	uint32_t e = made_event(&m, EVENT_CHECK, label, 0);
	made_events(&m)[e].site = made_site(&m, "/src/p.c", "f", 9, kind);
	return e;
}

static void an_index(void)
{
	begin("x:");
	uint32_t index = made_node(&m, OP_SUB, 64, wide(1, 64), made_const(&m, 64, '0'), 0);
	check(UBSAN_BOUNDS, made_node(&m, OP_ULT, 1, index, made_const(&m, 64, 10), 0));
	take();
	CHECK_STR("index 10, in an array of 10 elements", x.verdict);
	CHECK_STR("stdin[1] in '0'..'9'", x.condition);
	CHECK_INT(1, x.n_operands);
	CHECK_STR("stdin[1] - '0'", x.operands[0].expression);
	CHECK_STR("10", x.operands[0].now);
	CHECK_INT(OPERAND_INDEX, x.operands[0].side);
	CHECK_STR("stdin[1]", x.values[0].name);
	CHECK_STR("':'", x.values[0].now);
	CHECK_INT(STEP_FAILS, x.steps[x.n_steps - 1].kind);
	end();
}

static void an_overflow(void)
{
	begin("\xff\xff\xff\x7f");
	uint32_t n = byte(3);
	for (uint32_t i = 3; i-- > 0;)
		n = made_node(&m, OP_CONCAT, 8 * (4 - i), n, byte(i), 0);
	uint32_t over = made_node(&m, OP_SADDO, 1, n, made_const(&m, 32, 1), 0);
	check(UBSAN_ADD_OVERFLOW, made_node(&m, OP_NOT, 1, over, 0, 0));
	take();
	CHECK_STR("2147483647 + 1 does not fit 32 bits, signed", x.verdict);
	CHECK_STR("stdin[0..3] (little endian)", x.operands[0].expression);
	CHECK_STR("stdin[0..3] (little endian) + 1 fits 32 bits", x.condition);
	CHECK_STR("ff ff ff 7f", x.values[0].now);
	end();
}

static void a_shift(void)
{
	begin("\x1f");
	uint32_t room = made_node(&m, OP_SUB, 32, made_const(&m, 32, 31), wide(0, 32), 0);
	uint32_t lost = made_node(&m, OP_LSHR, 32, made_const(&m, 32, 1), room, 0);
	check(UBSAN_SHIFT, made_node(&m, OP_EQ, 1, lost, made_const(&m, 32, 0), 0));
	take();
	CHECK_STR("1 << 31 does not fit 32 bits, signed", x.verdict);
	CHECK_INT(1, x.n_operands);
	CHECK_STR("right", x.operands[0].what);
	CHECK_STR("31", x.operands[0].now);
	end();
}

static void a_divisor(void)
{
	begin("0");
	uint32_t d = made_node(&m, OP_SUB, 32, wide(0, 32), made_const(&m, 32, '0'), 0);
	check(UBSAN_DIVISION, made_node(&m, OP_NOT, 1, made_node(&m, OP_EQ, 1, d, made_const(&m, 32, 0), 0), 0, 0));
	take();
	CHECK_STR("divisor 0", x.verdict);
	CHECK_STR("stdin[0] != '0'", x.condition);
	end();
}

static void an_object(void)
{
	const struct trace_object object = {.base = 0x1000, .size = 40, .kind = OBJECT_HEAP};
	begin("\x0a");
	uint32_t address = made_node(&m, OP_MUL, 64, wide(0, 64), made_const(&m, 64, 4), 0);
	address = made_node(&m, OP_ADD, 64, address, made_const(&m, 64, 0x1000), 0);
	uint32_t offset = made_node(&m, OP_SUB, 64, address, made_const(&m, 64, 0x1000), 0);
	uint32_t e = check(255, made_node(&m, OP_ULE, 1, offset, made_const(&m, 64, 36), 0));
	made_events(&m)[e].check.object = made_object(&m, &object);
	take();
	CHECK_STR("4 bytes at offset 40, where the object has 40 bytes", x.verdict);
	CHECK_STR("offset", x.operands[0].what);
	CHECK_STR("stdin[0] * 4", x.operands[0].expression);
	CHECK_STR("heap block of 40 bytes", x.object);
	CHECK_STR("stdin[0] <= '\\t'", x.condition);
	end();
}

static const struct test tests[] = {TEST(the_path), TEST(what_is_repeated), TEST(an_index), TEST(an_overflow),
                                    TEST(a_shift),  TEST(a_divisor),        TEST(an_object)};

TEST_MAIN("insight")
