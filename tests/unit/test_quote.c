#include "report/quote.h"
#include "test.h"

static const char *quoted(const char *line, const char *at, enum operand_side side)
{
	struct buf out = {0};
	bool any = quote_operand(line, (uint32_t)(strstr(line, at) - line) + 1, side, &out);
	const char *copy = any ? test_printf("%s", out.data) : NULL;
	buf_release(&out);
	return copy;
}

static void indices(void)
{
	CHECK_STR("i", quoted("\ttable[i] = 1;", "table", OPERAND_INDEX));
	CHECK_STR("first ? day - 2 : f(x[0])",
	          quoted("puts(names[first ? day - 2 : f(x[0])]);", "names", OPERAND_INDEX));
	CHECK_STR("n + 1", quoted("return p->list [ n + 1 ];", "list", OPERAND_INDEX));
	CHECK_STR("i", quoted("\ttable[i] = 1;", "=", OPERAND_INDEX));
	CHECK_STR("f(n[2])", quoted("t->list[f(n[2])] += 1;", "+=", OPERAND_INDEX));
	CHECK(!quoted("a[i][j] = 1;", "=", OPERAND_INDEX));
	CHECK(!quoted("x = 1;", "=", OPERAND_INDEX));
	CHECK(!quoted("a[i][j] = 1;", "a", OPERAND_INDEX));
	CHECK(!quoted("MACRO(x);", "MACRO", OPERAND_INDEX));
	CHECK(!quoted("a[\"]\"[i]];", "a", OPERAND_INDEX));
	CHECK(!quoted("a[i", "a", OPERAND_INDEX));
}

static void operands(void)
{
	CHECK_STR("(line[4] - 48)", quoted("x = 100 / (line[4] - 48) + 1;", "/", OPERAND_RIGHT));
	CHECK_STR("100", quoted("x = 100 / (line[4] - 48) + 1;", "/", OPERAND_LEFT));
	CHECK_STR("p->n", quoted("x %= p->n;", "%", OPERAND_RIGHT));
	CHECK_STR("a.b[f(1)]", quoted("y = a.b[f(1)] << n;", "<<", OPERAND_LEFT));
	CHECK_STR("n", quoted("y = a.b[f(1)] << n;", "<<", OPERAND_RIGHT));
	CHECK_STR("-n", quoted("y = a * -n * 2;", "*", OPERAND_RIGHT));
	CHECK(!quoted("n++;", "++", OPERAND_RIGHT));
	CHECK(!quoted("divide(a, b);", "divide", OPERAND_RIGHT));
	CHECK_STR("(s[4] - '0')", quoted("x = a / (s[4] - '0');", "/", OPERAND_RIGHT));
	CHECK_STR("(s[')'] - '\\n')", quoted("x = a / (s[')'] - '\\n');", "/", OPERAND_RIGHT));
	CHECK_STR("(c - '(')", quoted("x = (c - '(') * 2;", "*", OPERAND_LEFT));
	CHECK(!quoted("x = a / f(\")\");", "/", OPERAND_RIGHT));
	CHECK(!quoted("x = a /", "/", OPERAND_RIGHT));
	CHECK(!quoted("a / b", "/", OPERAND_OTHER));
	struct buf out = {0};
	CHECK(!quote_operand("a", 9, OPERAND_LEFT, &out) && !quote_operand("", 0, OPERAND_INDEX, &out));
}

static const struct test tests[] = {TEST(indices), TEST(operands)};

TEST_MAIN("quote")
