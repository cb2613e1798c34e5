#include "expr/range.h"

#include "expr/simplify.h"
#include "expr/tape.h"
#include "query.h"
#include "test.h"

enum { NODES = 24 };

static uint64_t chance;

static uint32_t resize(struct expr_pool *p, uint32_t id, unsigned width)
{
	unsigned from = expr_width(p, id);
	if (from == width)
		return id;
	if (from > width)
		return expr_make(p, OP_EXTRACT, width, id, 0, 0);
	return expr_make(p, random_below(&chance, 2) ? OP_ZEXT : OP_SEXT, width, id, 0, 0);
}

// Entries are small numbers, as those of tables of states are, or anything; in some tables one is input.
static uint32_t some_table(struct expr_pool *p, uint32_t byte)
{
	uint8_t bytes[64];
	uint32_t exprs[64] = {0}, size = 1 + random_below(&chance, 64);
	bool small = random_below(&chance, 2);
	for (uint32_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(small ? random_below(&chance, 3) * !(i % 2) : random_next(&chance));
	exprs[random_below(&chance, size)] = byte;
	return expr_table(p, bytes, random_below(&chance, 4) ? NULL : exprs, size);
}

static uint32_t some_node(struct expr_pool *p, const uint32_t *ids, unsigned n)
{
	static const unsigned widths[] = {8, 16, 32, 64, 65, 128};
	static const uint8_t ops[] = {OP_ADD,  OP_SUB,  OP_MUL,    OP_UDIV, OP_SDIV, OP_UREM,    OP_SREM,   OP_SHL,
	                              OP_LSHR, OP_ASHR, OP_AND,    OP_OR,   OP_XOR,  OP_NOT,     OP_ITE,    OP_LOOKUP,
	                              OP_ZEXT, OP_SEXT, OP_LOOKUP, OP_ADD,  OP_MUL,  OP_EXTRACT, OP_CONCAT, OP_CTPOP};
	unsigned op = ops[random_below(&chance, COUNT(ops))], width = widths[random_below(&chance, COUNT(widths))];
	uint32_t a = ids[random_below(&chance, n)], b = ids[random_below(&chance, n)];
	if (random_below(&chance, 3) == 0)
		b = expr_const(p, expr_width(p, b), random_below(&chance, 70));
	switch (op) {
	case OP_LOOKUP:
		a = resize(p, a, 64);
		if (random_below(&chance, 2)) // a table of numbers of two bytes
			a = expr_make(p, OP_MUL, 64, a, expr_const(p, 64, 2), 0);
		return expr_lookup(p, 8u << random_below(&chance, 4), a, some_table(p, ids[0]));
	case OP_ZEXT:
	case OP_SEXT: return resize(p, a, width);
	case OP_EXTRACT: return expr_make(p, op, 8, resize(p, a, 64), random_below(&chance, 57), 0);
	case OP_CONCAT: return expr_make(p, op, 64, resize(p, a, 32), resize(p, b, 32), 0);
	case OP_ITE: {
		uint32_t c = expr_make(p, OP_SLT, 1, resize(p, a, width), resize(p, b, width), 0);
		return expr_make(p, op, width, c, resize(p, a, width), resize(p, b, width));
	}
	default:
		a = resize(p, a, width);
		return expr_make(p, op, width, a, op_operands(op) > 1 ? resize(p, b, width) : 0, 0);
	}
}

static void check_value(const struct expr_pool *p, uint32_t id, eval_value v)
{
	const struct range *r = range_of(p, id);
	eval_signed s = eval_sign(v, expr_width(p, id));
	CHECK_THAT(r->min <= v && v <= r->max && r->low <= s && s <= r->high && !(v & r->zeros) &&
	                   (v & r->ones) == r->ones,
	           "%s of %u bits is %llx", op_name(p->nodes[id].op), expr_width(p, id), (unsigned long long)v);
}

// Every value that any two bytes give lies in the range.
static void hold_for_all_inputs(void)
{
	for (unsigned round = 0; round < 60; round++) {
		struct expr_pool p;
		struct tape tape;
		uint32_t ids[NODES], steps[NODES];
		chance = 7000 + round;
		expr_pool_init(&p);
		tape_init(&tape, &p);
		uint32_t source = expr_source(&p, input_source(INPUT_STDIN, INPUT_BYTES, 0, ""));
		for (unsigned i = 0; i < NODES; i++) {
			ids[i] = i < 2 ? expr_input(&p, source, i) : some_node(&p, ids, i);
			steps[i] = tape_add(&tape, ids[i]);
		}
		for (unsigned v = 0; v < 65536; v += round % 4 ? 37 : 1) {
			const uint8_t bytes[] = {(uint8_t)v, (uint8_t)(v >> 8)};
			tape_load(&tape, bytes);
			tape_run(&tape);
			for (unsigned i = 0; i < NODES; i++)
				check_value(&p, ids[i], tape.values[steps[i]]);
		}
		tape_release(&tape);
		expr_pool_release(&p);
	}
}

static uint32_t read_at(struct expr_pool *p, uint32_t table, uint32_t index)
{
	return expr_lookup(p, 16,
	                   expr_make(p, OP_MUL, 64, expr_make(p, OP_SEXT, 64, index, 0, 0), expr_const(p, 64, 2), 0),
	                   table);
}

// A scanner: next[base[state] + class[byte]], one look-up in the other, for a thousand bytes. All checks that an index
// is inside of its table are decided by simplification.
static void decide_checks_of_scanners(void)
{
	enum { STATES = 5, CLASSES = 4 };
	struct expr_pool p;
	uint8_t class[256];
	uint16_t base[STATES], next[STATES * CLASSES];
	expr_pool_init(&p);
	for (unsigned i = 0; i < 256; i++)
		class[i] = (uint8_t)(i * 7 % CLASSES);
	for (unsigned i = 0; i < STATES; i++)
		base[i] = (uint16_t)(i * CLASSES);
	for (unsigned i = 0; i < COUNT(next); i++)
		next[i] = (uint16_t)(i * 11 % STATES);
	uint32_t classes = expr_table(&p, class, NULL, sizeof class);
	uint32_t bases = expr_table(&p, (uint8_t *)base, NULL, sizeof base);
	uint32_t nexts = expr_table(&p, (uint8_t *)next, NULL, sizeof next);
	uint32_t source = expr_source(&p, input_source(INPUT_STDIN, INPUT_BYTES, 0, "")), state = expr_const(&p, 32, 0);
	for (unsigned i = 0; i < 1000; i++) {
		uint32_t byte = expr_make(&p, OP_ZEXT, 64, expr_input(&p, source, i), 0, 0);
		uint32_t of = expr_make(&p, OP_ZEXT, 32, expr_lookup(&p, 8, byte, classes), 0, 0);
		uint32_t from = expr_make(&p, OP_ZEXT, 32, read_at(&p, bases, state), 0, 0);
		uint32_t at = expr_make(&p, OP_ADD, 32, from, of, 0);
		uint32_t inside = expr_make(&p, OP_ULT, 1, at, expr_const(&p, 32, COUNT(next)), 0);
		uint32_t tight = expr_make(&p, OP_ULT, 1, at, expr_const(&p, 32, COUNT(next) - 1), 0);
		CHECK(expr_simplify(&p, inside) == expr_const(&p, 1, 1));
		if (i > 1) // no longer knows the state that it began in
			CHECK(!expr_is_const(&p, expr_simplify(&p, tight)));
		state = expr_make(&p, OP_ZEXT, 32, read_at(&p, nexts, at), 0, 0);
	}
	CHECK(range_of(&p, state)->max == STATES - 1);
	expr_pool_release(&p);
}

// What is outside of a table is 0; entries in parts, too.
static void know_the_ends_of_tables(void)
{
	struct expr_pool p;
	uint8_t bytes[] = {5, 6, 7};
	expr_pool_init(&p);
	uint32_t source = expr_source(&p, input_source(INPUT_STDIN, INPUT_BYTES, 0, "")),
		 table = expr_table(&p, bytes, NULL, 3);
	uint32_t x = expr_make(&p, OP_ZEXT, 64, expr_input(&p, source, 0), 0, 0);
	uint32_t two = expr_make(&p, OP_ZEXT, 64, expr_make(&p, OP_EXTRACT, 1, expr_input(&p, source, 0), 0, 0), 0, 0);
	uint32_t inside = expr_lookup(&p, 8, two, table), across = expr_lookup(&p, 8, x, table);
	CHECK(range_of(&p, inside)->min == 5 && range_of(&p, inside)->max == 6);
	CHECK(range_of(&p, across)->min == 0 && range_of(&p, across)->max == 7);
	uint32_t last = expr_make(&p, OP_ADD, 64, two, expr_const(&p, 64, 2), 0);
	CHECK(range_of(&p, expr_lookup(&p, 16, last, table))->max == 7);
	uint32_t behind = expr_make(&p, OP_ADD, 64, two, expr_const(&p, 64, 3), 0);
	CHECK(range_of(&p, expr_lookup(&p, 16, behind, table))->max == 0);
	expr_pool_release(&p);
}

// Each node once: this would take years otherwise.
static void are_computed_once(void)
{
	struct expr_pool p;
	expr_pool_init(&p);
	uint32_t source = expr_source(&p, input_source(INPUT_STDIN, INPUT_BYTES, 0, ""));
	uint32_t x = expr_make(&p, OP_ZEXT, 128, expr_input(&p, source, 0), 0, 0);
	for (unsigned i = 0; i < 100000; i++)
		x = expr_make(&p, i % 2 ? OP_OR : OP_UREM, 128, x, expr_make(&p, OP_LSHR, 128, x, x, 0), 0);
	CHECK(range_of(&p, x)->max <= 255);
	size_t bytes = range_cache_bytes(p.ranges);
	range_of(&p, x);
	CHECK(range_cache_bytes(p.ranges) == bytes);
	expr_pool_release(&p);
}

static const struct test tests[] = {TEST(hold_for_all_inputs), TEST(decide_checks_of_scanners),
                                    TEST(know_the_ends_of_tables), TEST(are_computed_once)};

TEST_MAIN("range")
