#include "expr/expr.h"

#include "query.h"
#include "test.h"

// Adds random expressions.
static void fill(struct expr_pool *p, uint64_t seed, unsigned n)
{
	struct generator g;
	generator_init(&g, p, seed, 4);
	g.floats = true;
	for (unsigned i = 0; i < n; i++)
		generator_expr(&g, 1 + random_below(&g.random, 128), 4);
}

// The node again, from its parts.
static uint32_t again(struct expr_pool *p, uint32_t id)
{
	const struct expr_node n = p->nodes[id];
	switch (n.op) {
	case OP_CONST: return expr_const(p, n.width, expr_value(p, id));
	case OP_INPUT: return expr_input(p, n.a, n.b);
	case OP_LOOKUP: return expr_lookup(p, n.width, n.a, n.b);
	default: return expr_make(p, n.op, n.width, n.a, n.b, n.c);
	}
}

static void same_expression_same_id(void)
{
	struct expr_pool p, q;
	expr_pool_init(&p);
	expr_pool_init(&q);
	fill(&p, 1, 600);
	fill(&q, 1, 600);
	uint32_t n = p.n, tables = p.n_tables, vars = p.n_vars, wide = p.n_wide;
	CHECK(n > 5000 && tables > 20 && wide > 100);
	for (uint32_t id = 1; id < n; id++) {
		CHECK_THAT(again(&p, id) == id, "node %u, %s", id, op_name(p.nodes[id].op));
		const uint32_t operands[] = {p.nodes[id].a, p.nodes[id].b, p.nodes[id].c};
		for (unsigned i = 0; i < op_operands(p.nodes[id].op); i++)
			CHECK(operands[i] && operands[i] < id);
	}
	fill(&p, 1, 600); // nothing of it is new
	CHECK(p.n == n && p.n_tables == tables && p.n_vars == vars && p.n_wide == wide);
	CHECK(q.n == n && memcmp(&p.nodes[1], &q.nodes[1], (n - 1) * sizeof *p.nodes) == 0);
	expr_pool_release(&p);
	expr_pool_release(&q);
}

// Nodes that differ in one thing are different; what the operator does not read makes no difference.
static void other_expression_other_id(void)
{
	struct expr_pool p;
	expr_pool_init(&p);
	uint32_t s = expr_source(&p, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "x")), x = expr_input(&p, s, 0),
		 y = expr_input(&p, s, 1);
	uint32_t wide = expr_make(&p, OP_CONCAT, 16, x, y, 0), bit = expr_make(&p, OP_ULT, 1, x, y, 0);
	const uint32_t ids[] = {
		x,
		y,
		wide,
		bit,
		expr_make(&p, OP_CONCAT, 16, y, x, 0),
		expr_make(&p, OP_ADD, 8, x, y, 0),
		expr_make(&p, OP_ADD, 8, y, x, 0), // nothing is put in order
		expr_make(&p, OP_SUB, 8, x, y, 0),
		expr_make(&p, OP_ULT, 1, y, x, 0),
		expr_make(&p, OP_EXTRACT, 8, wide, 0, 0),
		expr_make(&p, OP_EXTRACT, 8, wide, 1, 0),
		expr_make(&p, OP_EXTRACT, 7, wide, 1, 0),
		expr_make(&p, OP_ZEXT, 16, x, 0, 0),
		expr_make(&p, OP_ZEXT, 17, x, 0, 0),
		expr_make(&p, OP_SEXT, 16, x, 0, 0),
		expr_make(&p, OP_ITE, 8, bit, x, y),
		expr_make(&p, OP_ITE, 8, bit, y, x),
		expr_make(&p, OP_ITE, 8, bit, x, x),
	};
	for (size_t i = 0; i < COUNT(ids); i++)
		for (size_t k = 0; k < i; k++)
			CHECK_THAT(ids[i] && ids[i] != ids[k], "%zu and %zu", i, k);
	CHECK_INT(expr_make(&p, OP_NOT, 8, x, 0, 0), expr_make(&p, OP_NOT, 8, x, 7, 9));
	CHECK_INT(expr_make(&p, OP_ADD, 8, x, y, 0), expr_make(&p, OP_ADD, 8, x, y, 9));
	CHECK_INT(expr_make(&p, OP_NOT, 8, x, 0, 0), expr_not(&p, x));
	CHECK_INT(expr_make(&p, OP_EQ, 1, x, expr_const(&p, 8, 5), 0), expr_eq(&p, x, 0x105));
	expr_pool_release(&p);
}

static void constants(void)
{
	struct expr_pool p;
	struct generator g;
	expr_pool_init(&p);
	generator_init(&g, &p, 3, 1);
	for (unsigned width = 1; width <= EXPR_WIDTH_MAX; width++)
		for (unsigned k = 0; k < 40; k++) {
			eval_value v = generator_number(&g, width), other = generator_number(&g, width);
			eval_value above = width < 128 ? (eval_value)random_next(&g.random) << width : 0;
			uint32_t id = expr_const(&p, width, v);
			CHECK(expr_is_const(&p, id) && expr_width(&p, id) == width && !p.nodes[id].flags);
			CHECK_THAT(expr_value(&p, id) == v, "width %u", width);
			CHECK_THAT(expr_const(&p, width, v | above) == id, "width %u", width);
			CHECK_THAT((expr_const(&p, width, other) == id) == (other == v), "width %u", width);
			CHECK(width == 128 || expr_const(&p, width + 1, v) != id);
			CHECK(expr_value(&p, id) == v); // others have not moved it
		}
	// Wide ones that have their lower half in common.
	eval_value one = 1;
	CHECK(expr_const(&p, 128, one << 127 | 7) != expr_const(&p, 128, one << 126 | 7));
	CHECK(expr_value(&p, expr_const(&p, 65, one << 64 | 7)) == (one << 64 | 7));
	CHECK(!expr_is_const(&p, g.inputs[0]));
	expr_pool_release(&p);
}

static void sources_and_inputs(void)
{
	struct expr_pool p;
	expr_pool_init(&p);
	char name[] = "HOME1";
	uint32_t a = expr_source(&p, input_source(INPUT_VARIABLE, INPUT_BYTES, 0, name));
	name[4] = '2'; // it was copied
	const uint32_t others[] = {a,
	                           expr_source(&p, input_source(INPUT_VARIABLE, INPUT_BYTES, 0, name)),
	                           expr_source(&p, input_source(INPUT_FILE, INPUT_BYTES, 0, "HOME1")),
	                           expr_source(&p, input_source(INPUT_FILE, INPUT_LENGTH, 0, "HOME1")),
	                           expr_source(&p, input_source(INPUT_VARIABLE, INPUT_BYTES, 1, "HOME1")),
	                           expr_source(&p, input_source(INPUT_VARIABLE, INPUT_BYTES, 0, "")),
	                           expr_source(&p, input_source(INPUT_ARGUMENT, INPUT_BYTES, 1, ""))};
	for (size_t i = 0; i < COUNT(others); i++)
		for (size_t k = 0; k < i; k++)
			CHECK_THAT(others[i] != others[k], "%zu and %zu", i, k);
	CHECK_INT(a, expr_source(&p, input_source(INPUT_VARIABLE, INPUT_BYTES, 0, "HOME1")));
	CHECK_INT(others[4], expr_source(&p, input_source(INPUT_VARIABLE, INPUT_BYTES, 1, "HOME1")));
	static const char *const labels[] = {"HOME1", "HOME2", "HOME1", "length(HOME1)", "HOME1_1", "", "argv[1]"};
	for (size_t i = 0; i < COUNT(others); i++)
		CHECK_STR(labels[i], p.sources[others[i]].label);
	CHECK(p.sources[others[4]].ordinal == 1 && p.sources[others[3]].type.role == INPUT_LENGTH);
	CHECK_INT(COUNT(others), p.n_sources);
	uint32_t n = 0;
	for (uint32_t offset = 0; offset < 300; offset += 3)
		for (size_t i = 0; i < COUNT(others); i++, n++) {
			uint32_t id = expr_input(&p, others[i], offset);
			CHECK(p.only[id] == n && p.n_vars == n + 1 && p.vars[n].expr == id);
			CHECK(p.vars[n].source == others[i] && p.vars[n].offset == offset && expr_width(&p, id) == 8);
		}
	CHECK_INT(p.vars[2].expr, expr_input(&p, others[2], 0));
	CHECK_INT(n, p.n_vars);
	expr_pool_release(&p);
}

static void tables(void)
{
	struct expr_pool p;
	expr_pool_init(&p);
	uint32_t s = expr_source(&p, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "x")), x = expr_input(&p, s, 0),
		 y = expr_input(&p, s, 1);
	uint8_t bytes[] = {1, 2, 3, 4};
	uint32_t exprs[] = {0, x, 0, 0};
	uint32_t plain = expr_table(&p, bytes, NULL, 4), mixed = expr_table(&p, bytes, exprs, 4);
	uint32_t shorter = expr_table(&p, bytes, NULL, 3), empty = expr_table(&p, bytes, NULL, 0);
	exprs[1] = y;
	uint32_t other = expr_table(&p, bytes, exprs, 4);
	bytes[3] = 5;
	uint32_t changed = expr_table(&p, bytes, NULL, 4);
	CHECK(p.n_tables == 6);
	CHECK_INT(changed, expr_table(&p, (const uint8_t[]){1, 2, 3, 5}, NULL, 4));
	CHECK_INT(plain, expr_table(&p, (const uint8_t[]){1, 2, 3, 4}, NULL, 4));
	CHECK_INT(mixed, expr_table(&p, (const uint8_t[]){1, 2, 3, 4}, (const uint32_t[]){0, x, 0, 0}, 4));
	CHECK_INT(other, expr_table(&p, (const uint8_t[]){1, 2, 3, 4}, (const uint32_t[]){0, y, 0, 0}, 4));
	CHECK_INT(empty, expr_table(&p, bytes, NULL, 0));
	CHECK(shorter != plain && p.tables[shorter].size == 3 && p.tables[mixed].exprs[1] == x);
	uint32_t at = expr_make(&p, OP_ZEXT, 64, x, 0, 0);
	CHECK(expr_lookup(&p, 16, at, plain) != expr_lookup(&p, 16, at, changed));
	CHECK(expr_lookup(&p, 16, at, plain) != expr_lookup(&p, 8, at, plain));
	CHECK_INT(expr_lookup(&p, 16, at, plain), expr_lookup(&p, 16, at, plain));
	expr_pool_release(&p);
}

static unsigned use(const struct expr_pool *p, uint32_t id)
{
	return p->nodes[id].flags & (EXPR_USED | EXPR_SHARED);
}

static void used_and_shared(void)
{
	struct expr_pool p;
	expr_pool_init(&p);
	uint32_t s = expr_source(&p, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "x")), x = expr_input(&p, s, 0),
		 y = expr_input(&p, s, 1);
	uint32_t c = expr_make(&p, OP_ULT, 1, x, y, 0);
	CHECK(use(&p, x) == EXPR_USED && use(&p, y) == EXPR_USED && use(&p, c) == 0);
	expr_make(&p, OP_ULT, 1, x, y, 0); // the same again is no other use
	CHECK(use(&p, x) == EXPR_USED);
	expr_not(&p, c);
	CHECK(use(&p, c) == 0);
	expr_make(&p, OP_ADD, 8, y, expr_const(&p, 8, 1), 0);
	CHECK(use(&p, x) == EXPR_USED && use(&p, y) == (EXPR_USED | EXPR_SHARED));
	uint32_t choice = expr_make(&p, OP_ITE, 8, c, y, x);
	CHECK(use(&p, c) == EXPR_USED && use(&p, x) == (EXPR_USED | EXPR_SHARED));
	expr_make(&p, OP_EXTRACT, 1, choice, x, 0); // the lowest bit is no operand
	CHECK(use(&p, choice) == EXPR_USED);
	uint32_t at = expr_make(&p, OP_ZEXT, 64, choice, 0, 0);
	expr_lookup(&p, 8, at, expr_table(&p, (const uint8_t *)"abc", NULL, 3));
	CHECK(use(&p, at) == EXPR_USED);
	expr_pool_release(&p);
}

static bool is_float(const struct expr_pool *p, uint32_t id)
{
	return p->nodes[id].flags & EXPR_FLOAT;
}

static void floats(void)
{
	struct expr_pool p;
	expr_pool_init(&p);
	uint32_t s = expr_source(&p, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "x")), x = expr_input(&p, s, 0);
	uint32_t wide = expr_make(&p, OP_ZEXT, 64, x, 0, 0), f = expr_make(&p, OP_UITOF, 64, x, 0, 0);
	uint32_t less = expr_make(&p, OP_FLT, 1, f, wide, 0), byte = expr_make(&p, OP_EXTRACT, 8, f, 0, 0);
	uint32_t choice = expr_make(&p, OP_ITE, 8, less, x, x);
	CHECK(!is_float(&p, x) && !is_float(&p, wide));
	CHECK(is_float(&p, f) && is_float(&p, less) && is_float(&p, byte) && is_float(&p, choice));
	const uint32_t exprs[] = {0, x, byte};
	uint32_t plain = expr_table(&p, (const uint8_t *)"abc", NULL, 3);
	CHECK(!is_float(&p, expr_lookup(&p, 8, wide, plain)));
	CHECK(is_float(&p, expr_lookup(&p, 8, f, plain)));
	CHECK(is_float(&p, expr_lookup(&p, 8, wide, expr_table(&p, (const uint8_t *)"abc", exprs, 3))));
	CHECK(!is_float(&p, expr_lookup(&p, 8, wide, expr_table(&p, (const uint8_t *)"ab", exprs, 2))));
	expr_pool_release(&p);
}

static void only_variable(void)
{
	struct expr_pool p;
	expr_pool_init(&p);
	uint32_t s = expr_source(&p, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "x")), x = expr_input(&p, s, 0),
		 y = expr_input(&p, s, 1);
	uint32_t five = expr_const(&p, 8, 5), c = expr_eq(&p, y, 1);
	CHECK_INT(EXPR_MANY, p.only[five]);
	CHECK_INT(EXPR_MANY, p.only[expr_not(&p, five)]);
	CHECK_INT(1, p.only[c]);
	CHECK_INT(1, p.only[expr_make(&p, OP_ADD, 8, five, y, 0)]);
	CHECK_INT(0, p.only[expr_make(&p, OP_ADD, 8, x, x, 0)]);
	CHECK_INT(EXPR_MANY, p.only[expr_make(&p, OP_ADD, 8, x, y, 0)]);
	CHECK_INT(EXPR_MANY, p.only[expr_make(&p, OP_ADD, 8, expr_make(&p, OP_ADD, 8, x, y, 0), y, 0)]);
	CHECK_INT(1, p.only[expr_make(&p, OP_ITE, 8, c, five, y)]);
	CHECK_INT(EXPR_MANY, p.only[expr_make(&p, OP_ITE, 8, c, five, x)]);
	CHECK_INT(1, p.only[expr_make(&p, OP_ITE, 8, c, five, five)]);
	uint32_t at = expr_make(&p, OP_ZEXT, 64, y, 0, 0);
	const uint32_t both[] = {five, y, x};
	CHECK_INT(1, p.only[expr_lookup(&p, 8, at, expr_table(&p, (const uint8_t *)"abc", NULL, 3))]);
	CHECK_INT(1, p.only[expr_lookup(&p, 8, at, expr_table(&p, (const uint8_t *)"ab", both, 2))]);
	CHECK_INT(EXPR_MANY, p.only[expr_lookup(&p, 8, at, expr_table(&p, (const uint8_t *)"abc", both, 3))]);
	uint32_t known = expr_const(&p, 64, 1);
	CHECK_INT(1, p.only[expr_lookup(&p, 8, known, expr_table(&p, (const uint8_t *)"ab", both, 2))]);
	CHECK_INT(EXPR_MANY, p.only[expr_lookup(&p, 8, known, expr_table(&p, (const uint8_t *)"ab", NULL, 2))]);
	expr_pool_release(&p);
}

// Of random expressions: if it says that a value depends on one variable, then on no other.
static void only_is_true(void)
{
	struct expr_pool p;
	expr_pool_init(&p);
	fill(&p, 9, 200);
	uint64_t *depends = test_alloc(p.n * sizeof *depends); // the variables, as bits
	memset(depends, 0, p.n * sizeof *depends);
	uint32_t ones = 0;
	for (uint32_t id = 1; id < p.n; id++) {
		const struct expr_node *n = &p.nodes[id];
		const uint32_t operands[] = {n->a, n->b, n->c};
		const struct expr_table *t = n->op == OP_LOOKUP ? &p.tables[n->b] : NULL;
		if (n->op == OP_INPUT)
			depends[id] = (uint64_t)1 << n->b;
		for (unsigned i = 0; i < op_operands(n->op); i++)
			depends[id] |= depends[operands[i]];
		for (uint32_t i = 0; t && t->exprs && i < t->size; i++)
			depends[id] |= depends[t->exprs[i]];
		bool one = p.only[id] != EXPR_MANY;
		CHECK_THAT(!one || depends[id] == (uint64_t)1 << p.only[id], "node %u", id);
		ones += one;
	}
	CHECK(ones > p.n / 8);
	expr_pool_release(&p);
}

static void many(void)
{
	enum { MANY = 200000 };
	struct expr_pool p;
	expr_pool_init(&p);
	size_t small = expr_pool_bytes(&p);
	uint32_t s = expr_source(&p, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "x")),
		 *ids = test_alloc(MANY * sizeof *ids);
	for (uint32_t i = 0; i < MANY; i++)
		ids[i] = i % 2 ? expr_const(&p, 64, (uint64_t)i << 20) : expr_input(&p, s, i);
	for (uint32_t i = 0; i < MANY; i++)
		CHECK_THAT(ids[i] == (i % 2 ? expr_const(&p, 64, (uint64_t)i << 20) : expr_input(&p, s, i)), "%u", i);
	CHECK(p.n == MANY + 1 && p.n_vars == MANY / 2);
	CHECK(expr_pool_bytes(&p) > small + MANY * sizeof(struct expr_node));
	expr_pool_release(&p);
}

static void operators(void)
{
	CHECK_STR("ADD", op_name(OP_ADD));
	CHECK_STR("LOOKUP", op_name(OP_LOOKUP));
	CHECK(op_operands(OP_CONST) == 0 && op_operands(OP_EXTRACT) == 1 && op_operands(OP_ADD) == 2);
	CHECK(op_operands(OP_ITE) == 3 && op_operands(OP_LOOKUP) == 1);
}

static const struct test tests[] = {
	TEST(same_expression_same_id),
	TEST(other_expression_other_id),
	TEST(constants),
	TEST(sources_and_inputs),
	TEST(tables),
	TEST(used_and_shared),
	TEST(floats),
	TEST(only_variable),
	TEST(only_is_true),
	TEST(many),
	TEST(operators),
};

TEST_MAIN("expr")
