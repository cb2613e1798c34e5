#include "base/mem.h"
#include "explain/field.h"
#include "explain/names.h"
#include "explain/phrase.h"
#include "expr/simplify.h"
#include "expr/tape.h"
#include "query.h"
#include "test.h"

// Bytes of standard input, of an argument and of two files; lengths.
enum { STDIN, ARGUMENT, FILE_A, FILE_B, LENGTH, SOURCES, BYTES = 24 };

static struct expr_pool p;
static uint32_t at[SOURCES][BYTES];
static uint8_t bytes[SOURCES * BYTES];
static struct phrasing words;

static void begin(void)
{
	const struct input_source sources[] = {input_source(INPUT_STDIN, INPUT_BYTES, 0, ""),
	                                       input_source(INPUT_ARGUMENT, INPUT_BYTES, 1, ""),
	                                       input_source(INPUT_FILE, INPUT_BYTES, 0, "/src/one/x.gif"),
	                                       input_source(INPUT_FILE, INPUT_BYTES, 0, "/src/two/x.gif"),
	                                       input_source(INPUT_FILE, INPUT_LENGTH, 0, "/src/two/x.gif")};
	expr_pool_init(&p);
	for (unsigned i = 0; i < SOURCES; i++)
		for (unsigned k = 0; k < (i == LENGTH ? 2 : BYTES); k++)
			at[i][k] = expr_input(&p, expr_source(&p, sources[i]), k);
	for (unsigned i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)('0' + i % 10);
	phrasing_init(&words, &p, bytes);
}

static void end(void)
{
	phrasing_release(&words);
	expr_pool_release(&p);
}

static const char *kept(char *text)
{
	const char *copy = test_printf("%s", text);
	mem_free(text);
	return copy;
}

static const char *condition(uint32_t id)
{
	return kept(phrase_condition(&words, id, NULL, 200));
}

static const char *value(uint32_t id)
{
	return kept(phrase_value(&words, id, 200));
}

static uint32_t number(unsigned width, uint64_t n)
{
	return expr_const(&p, width, n);
}

static uint32_t two(unsigned op, uint32_t a, uint32_t b)
{
	bool bit = op_class(op) == OP_CLASS_COMPARISON;
	return expr_make(&p, op, bit ? 1 : expr_width(&p, a), a, b, 0);
}

static uint32_t wide(uint32_t a, unsigned width)
{
	return expr_make(&p, OP_ZEXT, width, a, 0, 0);
}

static uint32_t shifted(uint32_t a, unsigned by)
{
	return two(OP_SHL, wide(a, 32), number(32, by));
}

// Bytes from `from` on as programs put them together.
static uint32_t joined(unsigned source, unsigned from, unsigned n, bool big)
{
	uint32_t all = at[source][big ? from : from + n - 1];
	for (unsigned i = 1; i < n; i++)
		all = expr_make(&p, OP_CONCAT, 8 * (i + 1), all, at[source][big ? from + i : from + n - 1 - i], 0);
	return all;
}

static void single_bytes(void)
{
	begin();
	uint32_t x = at[STDIN][1], c = wide(x, 32);
	CHECK_STR("stdin[1] == '-'", condition(two(OP_EQ, x, number(8, '-'))));
	CHECK_STR("stdin[1] != '-'", condition(expr_not(&p, two(OP_EQ, c, number(32, '-')))));
	CHECK_STR("stdin[1] in '0'..'9'", condition(two(OP_ULT, two(OP_SUB, c, number(32, '0')), number(32, 10))));
	CHECK_STR("stdin[1] not in '0'..'9'", condition(two(OP_ULE, number(32, 10), two(OP_SUB, c, number(32, '0')))));
	uint32_t sign = expr_make(&p, OP_SEXT, 32, x, 0, 0);
	CHECK_STR("stdin[1] >= 0x80", condition(two(OP_SLT, sign, number(32, 0))));
	CHECK_STR("(signed)stdin[1] < '0'", condition(two(OP_SLT, sign, number(32, '0'))));
	CHECK_STR("(signed)stdin[1] >= '0'", condition(two(OP_SLE, number(32, '0'), sign)));
	CHECK_STR("stdin[1] <= ' '", condition(two(OP_ULT, x, number(8, '!'))));
	CHECK_STR("stdin[1] in {'A'..'Z', 'a'..'z'}",
	          condition(two(OP_ULT, two(OP_SUB, two(OP_OR, x, number(8, 32)), number(8, 'a')), number(8, 26))));
	uint32_t blank = expr_eq(&p, x, ' '), control = two(OP_ULT, two(OP_SUB, x, number(8, '\t')), number(8, 5));
	CHECK_STR("stdin[1] is no white space", condition(expr_not(&p, two(OP_OR, blank, control))));
	// A table, as behind isdigit().
	uint8_t table[256] = {0};
	table['x'] = table['y'] = 1;
	uint32_t class = expr_lookup(&p, 8, wide(x, 64), expr_table(&p, table, NULL, sizeof table));
	CHECK_STR("stdin[1] in {'x', 'y'}", condition(expr_not(&p, expr_eq(&p, class, 0))));
	// What is known of it makes it shorter.
	struct byteset digits = {{0}};
	for (unsigned i = '0'; i <= '9'; i++)
		byteset_add(&digits, i);
	CHECK_STR("stdin[1] != '0'", kept(phrase_condition(&words, two(OP_ULT, number(8, '0'), x), &digits, 200)));
	CHECK_STR("stdin[1] <= '7'",
	          kept(phrase_condition(&words, two(OP_ULT, two(OP_SUB, c, number(32, '0')), number(32, 8)), &digits,
	                                200)));
	end();
}

static void fields(void)
{
	begin();
	uint32_t little = joined(STDIN, 4, 4, false), big = joined(STDIN, 4, 2, true);
	CHECK_STR("stdin[4..7] (little endian) == 0", condition(expr_eq(&p, little, 0)));
	CHECK_STR("stdin[4..5] (big endian) < 300", condition(two(OP_ULT, big, number(16, 300))));
	CHECK_STR("stdin[4..7] == \"RIFF\"", condition(expr_eq(&p, little, 0x46464952)));
	CHECK_STR("(signed)stdin[4..7] (little endian) < 0", condition(two(OP_SLT, little, number(32, 0))));
	CHECK_STR("two/x.gif[0x10..0x11] (big endian) * 3",
	          value(two(OP_MUL, joined(FILE_B, 16, 2, true), number(16, 3))));
	CHECK_STR("one/x.gif[3]", value(at[FILE_A][3]));
	uint32_t length = wide(joined(LENGTH, 0, 2, false), 32);
	CHECK_STR("length(two/x.gif) > 9", condition(two(OP_ULT, number(32, 9), length)));
	CHECK_STR("length(two/x.gif) == 258", condition(expr_simplify(&p, expr_eq(&p, length, 258))));
	CHECK_STR("length(two/x.gif) != 0", condition(expr_simplify(&p, expr_not(&p, expr_eq(&p, length, 0)))));
	CHECK_STR("length(two/x.gif) >= 512", condition(two(OP_ULT, number(8, 1), at[LENGTH][1])));
	CHECK_STR("length(two/x.gif)[0] == 3", condition(expr_eq(&p, at[LENGTH][0], 3)));
	CHECK_STR("length(two/x.gif)[1] == 3", condition(expr_eq(&p, at[LENGTH][1], 3)));
	// By shifts, sums and masks.
	uint32_t sum = two(OP_ADD, shifted(at[STDIN][1], 8), wide(at[STDIN][0], 32));
	CHECK_STR("stdin[0..1] (little endian)", value(sum));
	CHECK_STR("stdin[0..1] (big endian)", value(two(OP_OR, shifted(at[STDIN][0], 8), wide(at[STDIN][1], 32))));
	CHECK_STR("stdin[0]", value(two(OP_AND, sum, number(32, 255))));
	CHECK_STR("stdin[1]", value(two(OP_LSHR, sum, number(32, 8))));
	// Not in a row.
	struct field f;
	CHECK(!field_of(&p, two(OP_OR, shifted(at[STDIN][3], 8), wide(at[STDIN][1], 32)), &f));
	CHECK(!field_of(&p, two(OP_OR, wide(at[STDIN][3], 32), wide(at[STDIN][1], 32)), &f));
	CHECK(!field_of(&p, number(32, 0), &f));
	// Said once.
	CHECK_STR("stdin[4..7] (little endian) - 1 < stdin[4..7] + 2",
	          condition(two(OP_SLT, two(OP_SUB, little, number(32, 1)), two(OP_ADD, little, number(32, 2)))));
	end();
}

static void decimal_numbers(void)
{
	begin();
	uint32_t n = number(32, 0);
	for (unsigned i = 0; i < 3; i++) // n = 10 * n + (c - '0')
		n = two(OP_ADD, two(OP_MUL, n, number(32, 10)),
		        two(OP_SUB, expr_make(&p, OP_SEXT, 32, at[ARGUMENT][i], 0, 0), number(32, '0')));
	CHECK_STR("number(argv[1][0..2]) > 365", condition(two(OP_SLT, number(32, 365), n)));
	CHECK_STR("number(argv[1][0..2])", value(expr_simplify(&p, n)));
	CHECK_STR("argv[1][0] - '0'", value(two(OP_SUB, wide(at[ARGUMENT][0], 32), number(32, '0'))));
	uint32_t hex = number(32, 0);
	for (unsigned i = 0; i < 3; i++) { // without a branch
		uint32_t c = wide(at[ARGUMENT][i], 32), low = two(OP_OR, c, number(32, 32));
		uint32_t is = two(OP_ULT, two(OP_SUB, c, number(32, '0')), number(32, 10));
		uint32_t digit = expr_make(&p, OP_ITE, 32, is, two(OP_SUB, c, number(32, '0')),
		                           two(OP_SUB, low, number(32, 'a' - 10)));
		hex = two(OP_ADD, two(OP_SHL, hex, number(32, 4)), digit);
	}
	CHECK_STR("hex(argv[1][0..2])", value(hex));
	bytes[p.only[at[ARGUMENT][1]]] = 'x'; // of what is no digit it is no number
	CHECK(!strstr(value(n), "number"));
	end();
}

static void texts(void)
{
	begin();
	uint32_t all = 0, length = number(64, 5);
	for (unsigned i = 0; i < 4; i++) {
		uint32_t one = expr_eq(&p, at[ARGUMENT][i], (uint64_t)"help"[i]);
		all = all ? two(OP_AND, all, one) : one;
	}
	CHECK_STR("argv[1][0..3] == \"help\"", condition(all));
	CHECK_STR("argv[1][0..3] != \"help\"", condition(expr_not(&p, all)));
	CHECK_STR("argv[1][0..3] == \"help\" and stdin[0] <= '/'",
	          condition(two(OP_AND, two(OP_ULT, at[STDIN][0], number(8, '0')), all)));
	CHECK_STR("argv[1] == \"help\"", condition(two(OP_AND, all, expr_eq(&p, at[ARGUMENT][4], 0))));
	for (unsigned i = 5; i-- > 0;)
		length = expr_make(&p, OP_ITE, 64, expr_eq(&p, at[ARGUMENT][i], 0), number(64, i), length);
	CHECK_STR("strlen(argv[1]) > 2", condition(two(OP_ULT, number(64, 2), length)));
	end();
}

static void arithmetic(void)
{
	begin();
	uint32_t a = joined(STDIN, 0, 4, false), b = joined(STDIN, 4, 4, false);
	CHECK_STR("stdin[0..3] (little endian) + stdin[4..7] (little endian) does not fit 32 bits",
	          condition(expr_make(&p, OP_SADDO, 1, a, b, 0)));
	CHECK_STR("(unsigned)(stdin[0..3] (little endian) - stdin[4..7] (little endian)) < 7",
	          condition(two(OP_ULT, two(OP_SUB, a, b), number(32, 7))));
	CHECK_STR("stdin[0..3] (little endian) in 5..11",
	          condition(two(OP_ULT, two(OP_SUB, a, number(32, 5)), number(32, 7))));
	CHECK_STR(
		"stdin[0..3] (little endian) not in 5..11",
		condition(expr_simplify(&p, expr_not(&p, two(OP_ULT, two(OP_SUB, a, number(32, 5)), number(32, 7))))));
	// What the simplifier makes of shifts and masks reads as before.
	uint32_t scaled = expr_simplify(&p, two(OP_MUL, two(OP_ADD, a, b), number(32, 8)));
	CHECK_STR("(stdin[0..3] (little endian) + stdin[4..7] (little endian)) * 8", value(scaled));
	CHECK_STR("(stdin[0] >> 3) & 0x3",
	          value(expr_simplify(&p, two(OP_AND, two(OP_LSHR, a, number(32, 3)), number(32, 3)))));
	CHECK_STR("1 << (31 - stdin[0])",
	          value(two(OP_SHL, number(32, 1), two(OP_SUB, number(32, 31), wide(at[STDIN][0], 32)))));
	uint8_t table[8] = {1, 0, 2, 0, 3, 0, 4, 0};
	uint32_t twice = two(OP_MUL, wide(two(OP_ADD, at[STDIN][0], at[STDIN][1]), 64), number(64, 2));
	CHECK_STR("{1, 2, 3, 4}[stdin[0] + stdin[1]]",
	          value(expr_lookup(&p, 16, twice, expr_table(&p, table, NULL, 8))));
	uint32_t elements[8];
	for (unsigned i = 0; i < 8; i++)
		elements[i] = at[STDIN][i + 2];
	CHECK_STR("table[stdin[0] + stdin[1]]", value(expr_lookup(&p, 16, twice, expr_table(&p, table, elements, 8))));
	CHECK_STR("(stdin[0] == '0' ? stdin[0..3] (little endian) : 7)",
	          value(expr_make(&p, OP_ITE, 32, expr_eq(&p, at[STDIN][0], '0'), a, number(32, 7))));
	end();
}

static void values_of_the_run(void)
{
	begin();
	uint32_t a = joined(STDIN, 0, 2, true), x = at[STDIN][1];
	CHECK_STR("value 12337", kept(phrase_now(&words, two(OP_ULT, a, number(16, 20000)))));
	CHECK_STR("values 12337 and '1'", kept(phrase_now(&words, two(OP_ULT, a, wide(x, 16)))));
	CHECK_STR("value '1'", kept(phrase_now(&words, two(OP_ULT, x, number(8, 60)))));
	CHECK(!phrase_now(&words, expr_eq(&p, x, '1')));
	CHECK(!phrase_now(&words, expr_eq(&p, a, 12337)));
	end();
}

static void what_is_too_long(void)
{
	begin();
	uint32_t sum = wide(at[STDIN][0], 32);
	for (unsigned i = 1; i < 20; i++)
		sum = two(OP_XOR, two(OP_MUL, sum, number(32, 31)), wide(at[STDIN][i], 32));
	const char *text = condition(expr_eq(&p, sum, 5));
	CHECK(strncmp(text, "on stdin[0..19]: ", 17) == 0);
	CHECK_THAT(strstr(text, "...") && strlen(text) < 200, "%s", text);
	CHECK_STR("f(stdin[0..19])", value(sum));
	// A number alone says nothing.
	uint32_t deep = sum;
	for (unsigned i = 0; i < 80; i++)
		deep = two(OP_XOR, two(OP_MUL, deep, number(32, 31)), wide(at[STDIN][i % 20], 32));
	CHECK_STR("a condition on stdin[0..19]", condition(two(OP_ULT, number(32, 9), deep)));
	// Of choices what the run took may do.
	uint32_t choice = sum;
	choice = expr_make(&p, OP_ITE, 32, expr_eq(&p, at[STDIN][3], '3'), wide(at[STDIN][4], 32), choice);
	CHECK_STR("stdin[4] (on this way)", value(choice));
	end();
}

static void short_names(void)
{
	char *all[] = {"/a/b/x.c", "/a/c/x.c", "/a/b/y.c", "b/x.c", "libc/strtol.c"};
	CHECK_STR("libc/strtol.c", names_short(all[4], all, 5));
	CHECK_STR("b/x.c", names_short(all[0], all, 4));
	CHECK_STR("c/x.c", names_short(all[1], all, 4));
	CHECK_STR("y.c", names_short(all[2], all, 4));
	CHECK_STR("z.c", names_short("/z.c", all, 4));
	CHECK_STR("/", names_short("/", all, 4));
}

// Whatever it is, it ends, and what is told of numbers is so.
static void random_ones(void)
{
	for (uint64_t seed = 1; seed <= 400; seed++) {
		struct generator g;
		struct field f;
		expr_pool_init(&p);
		generator_init(&g, &p, seed, QUERY_BYTES);
		g.floats = seed % 2;
		uint32_t id = generator_expr(&g, seed % 3 ? 1 : 32, 6);
		phrasing_init(&words, &p, g.bytes);
		const char *text = expr_width(&p, id) == 1 ? condition(id) : value(id);
		bool fits = *text && strlen(text) < 1000;
		eval_value n = 0, is = expr_eval(&p, id, g.bytes);
		bool field = field_of(&p, id, &f);
		for (uint32_t i = 0; field && i < f.bytes; i++)
			n |= (eval_value)g.bytes[f.offset + i] << 8 * ((f.big ? f.bytes - 1 - i : i) + f.above);
		phrasing_release(&words);
		expr_pool_release(&p);
		CHECK_THAT(fits, "%s", text);
		CHECK_THAT(!field || n == is, "%s", text);
	}
}

static const struct test tests[] = {
	TEST(single_bytes),      TEST(fields),           TEST(decimal_numbers), TEST(texts),      TEST(arithmetic),
	TEST(values_of_the_run), TEST(what_is_too_long), TEST(short_names),     TEST(random_ones)};

TEST_MAIN("phrase")
