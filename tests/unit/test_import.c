#include "expr/import.h"

#include <time.h>

#include "expr/tape.h"
#include "made.h"
#include "query.h"
#include "test.h"

// --- conditions ----------------------------------------------------------------------------

static void conditions(void)
{
	static const struct trace_case cases[] = {{3, 1}, {9, 2}, {200, 3}};
	struct expr_pool p;
	struct import im;
	struct made m;
	made_init(&m);
	made_input(&m, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "x"), "\7\10", 2);
	uint32_t x = made_byte(&m, 0, 0), five = made_const(&m, 8, 5), bit = made_node(&m, OP_ULT, 1, five, x, 0);
	uint32_t unused = made_byte(&m, 0, 1), site = made_switch(&m, cases, 3);
	uint32_t input = made_event(&m, EVENT_INPUT, 0, 2), taken = made_event(&m, EVENT_BRANCH, bit, 1);
	uint32_t not_taken = made_event(&m, EVENT_SELECT, bit, 0), check = made_event(&m, EVENT_CHECK, bit, 1);
	uint32_t violated = made_event(&m, EVENT_CHECK, bit, 0), assumed = made_event(&m, EVENT_ASSUME, bit, 1);
	uint32_t broken = made_event(&m, EVENT_ASSUME, bit, 0), wish = made_event(&m, EVENT_PREFER, bit, 1);
	uint32_t used = made_event(&m, EVENT_CONCRETE, x, 7), one = made_event(&m, EVENT_SWITCH, x, 9);
	uint32_t none = made_event(&m, EVENT_SWITCH, x, 7), bare = made_event(&m, EVENT_SWITCH, x, 7);
	uint32_t access = made_event(&m, EVENT_ACCESS, x, 7), constant = made_event(&m, EVENT_BRANCH, 0, 1);
	made_events(&m)[one].site = made_events(&m)[none].site = site;
	made_events(&m)[violated].check.object = 1; // what it is about is no part of its value
	struct trace t = made_trace(&m);
	expr_pool_init(&p);
	import_init(&im, &p, &t);
	uint32_t byte = expr_input(&p, expr_source(&p, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "x")), 0);
	uint32_t less = expr_make(&p, OP_ULT, 1, expr_const(&p, 8, 5), byte, 0), not_less = expr_not(&p, less);
	CHECK(im.exprs[x] == byte && im.exprs[bit] == less);
	CHECK(!im.exprs[unused] && p.n_vars == 1 && im.n_always == 0);
	CHECK_INT(0, import_condition(&im, input));
	CHECK_INT(less, import_condition(&im, taken));
	CHECK_INT(not_less, import_condition(&im, not_taken));
	CHECK_INT(less, import_condition(&im, check));
	CHECK_INT(not_less, import_condition(&im, violated));
	CHECK_INT(less, import_condition(&im, assumed));
	CHECK_INT(not_less, import_condition(&im, broken));
	CHECK_INT(0, import_condition(&im, wish));
	CHECK_INT(expr_eq(&p, byte, 7), import_condition(&im, used));
	CHECK_INT(expr_eq(&p, byte, 9), import_condition(&im, one));
	CHECK_INT(0, import_condition(&im, access));
	CHECK_INT(0, import_condition(&im, constant));
	uint32_t other = import_condition(&im, none), any = import_condition(&im, bare);
	for (unsigned v = 0; v < 256; v++) {
		const uint8_t bytes[] = {(uint8_t)v, 0};
		CHECK_THAT(expr_eval(&p, other, bytes) == (v != 3 && v != 9 && v != 200), "value %u", v);
		CHECK_INT(1, expr_eval(&p, any, bytes));
	}
	CHECK(im.n_seed == 1 && im.seed[0] == 7);
	import_release(&im);
	expr_pool_release(&p);
}

static void tables(void)
{
	struct expr_pool p;
	struct import im;
	struct made m;
	made_init(&m);
	made_input(&m, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "x"), "\1\2", 2);
	uint32_t x = made_byte(&m, 0, 0), y = made_byte(&m, 0, 1), at = made_node(&m, OP_ZEXT, 64, x, 0, 0);
	const uint32_t labels[] = {0, y, 0};
	uint32_t plain = made_table(&m, (const uint8_t *)"abc", NULL, 3);
	uint32_t mixed = made_table(&m, (const uint8_t *)"abc", labels, 3);
	uint32_t same = made_table(&m, (const uint8_t *)"abc", NULL, 3);
	uint32_t reads[] = {made_node(&m, OP_LOOKUP, 8, at, plain, 0), made_node(&m, OP_LOOKUP, 16, at, mixed, 0),
	                    made_node(&m, OP_LOOKUP, 8, at, same, 0), made_node(&m, OP_LOOKUP, 8, at, 0, 0)};
	for (size_t i = 0; i < COUNT(reads); i++)
		made_event(&m, EVENT_CONCRETE, reads[i], 0);
	struct trace t = made_trace(&m);
	expr_pool_init(&p);
	import_init(&im, &p, &t);
	CHECK(im.exprs[y]); // needed, though no operand
	CHECK_INT(im.exprs[reads[0]], im.exprs[reads[2]]);
	CHECK_INT(3, p.n_tables); // one of them empty: where the trace has none
	uint8_t bytes[2] = {0};
	bytes[p.only[im.exprs[x]]] = 1;
	bytes[p.only[im.exprs[y]]] = 0x42;
	CHECK_INT('b', expr_eval(&p, im.exprs[reads[0]], bytes));
	CHECK_INT('c' << 8 | 0x42, expr_eval(&p, im.exprs[reads[1]], bytes));
	CHECK_INT(0, expr_eval(&p, im.exprs[reads[3]], bytes));
	import_release(&im);
	expr_pool_release(&p);
}

// Random expressions, through a trace and back: nothing changes.
static void there_and_back(void)
{
	struct expr_pool p;
	struct generator g;
	expr_pool_init(&p);
	generator_init(&g, &p, 5, QUERY_BYTES);
	g.floats = true;
	for (int round = 0; round < 100; round++) {
		enum { EVENTS = 20 };
		uint32_t ids[EVENTS];
		struct import im;
		struct made m;
		made_init(&m);
		made_input(&m, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "x"), g.bytes, QUERY_BYTES);
		g.n_made = 0; // it forgets those that have constants of more than 64 bits
		for (unsigned i = 0; i < EVENTS;) {
			uint32_t n_wide = p.n_wide;
			ids[i] = generator_expr(&g, 1, 4);
			if (p.n_wide != n_wide) { // not in traces
				g.n_made = 0;
				continue;
			}
			made_event(&m, EVENT_BRANCH, made_expr(&m, &p, ids[i]), i % 2);
			i++;
		}
		struct trace t;
		struct err err;
		CHECK_INT(0, trace_read(m.header, m.size, &t, &err));
		uint32_t n = p.n, tables = p.n_tables;
		import_init(&im, &p, &t);
		CHECK(p.n == n && p.n_tables == tables);
		for (unsigned i = 0; i < t.n_events; i++)
			CHECK_INT(i % 2 ? ids[i] : expr_not(&p, ids[i]), import_condition(&im, i));
		CHECK(t.n_events == EVENTS || t.damaged);
		CHECK(memcmp(im.seed, g.bytes, QUERY_BYTES) == 0 && im.n_seed == QUERY_BYTES);
		import_release(&im);
	}
	expr_pool_release(&p);
}

// --- lengths -------------------------------------------------------------------------------

// The value that the bytes of a length are read as, in a pool.
static uint32_t made_number(struct made *m, uint32_t input)
{
	uint32_t e = made_byte(m, input, 0);
	for (uint32_t i = 1; i < 4; i++)
		e = made_node(m, OP_CONCAT, 8 * (i + 1), made_byte(m, input, i), e, 0);
	return e;
}

// Which values of a length are allowed; what the largest is, and which of its bytes vary.
static void check_limits(enum input_role role, uint32_t was, uint32_t least, uint64_t most, uint32_t variables)
{
	struct expr_pool p;
	struct import im;
	struct made m;
	uint32_t data = was;
	made_init(&m);
	made_input(&m, input_source(INPUT_STDIN, role, 0, ""), &data, 4);
	uint32_t number = made_number(&m, 0);
	made_event(&m, EVENT_CONCRETE, number, was);
	struct trace t = made_trace(&m);
	expr_pool_init(&p);
	import_init(&im, &p, &t);
	CHECK_THAT(p.n_vars == variables, "%u of %u: %u variables", role, was, p.n_vars);
	CHECK(im.n_seed == variables && im.n_always == (role == INPUT_COUNT ? 2 : 1));
	const uint64_t tried[] = {0, 1, 2, was, most - 1, most, most + 1, most + 255, 255, 256, 65535, UINT32_MAX};
	for (size_t i = 0; i < COUNT(tried); i++) {
		uint32_t value = (uint32_t)tried[i];
		uint8_t bytes[4];
		for (uint32_t v = 0; v < p.n_vars; v++)
			bytes[v] = (uint8_t)(value >> 8 * p.vars[v].offset);
		if (expr_eval(&p, im.exprs[number], bytes) != value) // it cannot be made
			CHECK(value > most);
		bool allowed = expr_eval(&p, im.exprs[number], bytes) == value;
		for (uint32_t k = 0; k < im.n_always; k++)
			allowed = allowed && expr_eval(&p, im.always[k], bytes);
		CHECK_THAT(allowed == (value >= least && value <= most), "%u of %u: %u", role, was, value);
	}
	import_release(&im);
	expr_pool_release(&p);
}

static void lengths(void)
{
	check_limits(INPUT_LENGTH, 0, 0, 4096, 2);
	check_limits(INPUT_LENGTH, 5, 0, 5 + 4096, 2);
	check_limits(INPUT_LENGTH, 65535 - 4096, 0, 65535, 2);
	check_limits(INPUT_LENGTH, 65536 - 4096, 0, 65536, 3);
	check_limits(INPUT_LENGTH, 1 << 24, 0, (1 << 24) + 4096, 4);
	check_limits(INPUT_LENGTH, UINT32_MAX - 5, 0, UINT32_MAX, 4);
	check_limits(INPUT_COUNT, 1, 1, 17, 1);
	check_limits(INPUT_COUNT, 239, 1, 255, 1);
	check_limits(INPUT_COUNT, 240, 1, 256, 2);
}

// Only what is described as a length has a limit.
static void no_lengths(void)
{
	static const struct {
		struct input_type type;
		uint32_t size;
	} cases[] = {{{INPUT_OBJECT, INPUT_BYTES}, 4}, {{INPUT_ARGUMENT, INPUT_BYTES}, 4},
	             {{INPUT_FILE, INPUT_BYTES}, 4},   {{INPUT_FILE, INPUT_LENGTH}, 3},
	             {{INPUT_FILE, INPUT_LENGTH}, 8},  {{INPUT_KINDS, INPUT_LENGTH}, 4},
	             {{INPUT_FILE, INPUT_ROLES}, 4},   {{UINT8_MAX, UINT8_MAX}, 4}};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct expr_pool p;
		struct import im;
		struct made m;
		made_init(&m);
		made_input(&m, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "x"), "\1\0\0\0\0\0\0\0", cases[i].size);
		m.header->input[0].type = cases[i].type;
		made_event(&m, EVENT_CONCRETE, made_number(&m, 0), 1);
		struct trace t = made_trace(&m);
		expr_pool_init(&p);
		import_init(&im, &p, &t);
		CHECK_THAT(p.n_vars == 4 && im.n_always == 0, "case %zu", i);
		import_release(&im);
		expr_pool_release(&p);
	}
}

// --- several traces ------------------------------------------------------------------------

// The same inputs in another order, and one more; an input of the same name a second time.
static void two_traces(void)
{
	struct expr_pool p;
	struct import first, second;
	struct made m, n;
	made_init(&m);
	made_init(&n);
	made_input(&m, input_source(INPUT_VARIABLE, INPUT_BYTES, 0, "a"), "A\0", 2);
	made_input(&m, input_source(INPUT_FILE, INPUT_BYTES, 0, "b"), "B", 1);
	made_input(&m, input_source(INPUT_FILE, INPUT_BYTES, 0, "b"), "C", 1);
	made_input(&n, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "new"), "N", 1);
	made_input(&n, input_source(INPUT_FILE, INPUT_BYTES, 0, "b"), "x", 1);
	made_input(&n, input_source(INPUT_FILE, INPUT_LENGTH, 0, "b"), "\1\0\0\0", 4);
	made_input(&n, input_source(INPUT_FILE, INPUT_BYTES, 0, "b"), "y", 1);
	made_input(&n, input_source(INPUT_FILE, INPUT_BYTES, 0, "b"), "z", 1);
	made_input(&n, input_source(INPUT_VARIABLE, INPUT_BYTES, 0, "a"), "w\0", 2);
	uint32_t in_m[3], in_n[6];
	for (uint32_t i = 0; i < 3; i++)
		made_event(&m, EVENT_CONCRETE, in_m[i] = made_byte(&m, i, 0), 0);
	for (uint32_t i = 0; i < 6; i++)
		made_event(&n, EVENT_CONCRETE, in_n[i] = made_byte(&n, i, 0), 0);
	struct trace t = made_trace(&m), u = made_trace(&n);
	expr_pool_init(&p);
	import_init(&first, &p, &t);
	CHECK_INT(3, p.n_vars);
	import_init(&second, &p, &u);
	CHECK_INT(first.exprs[in_m[0]], second.exprs[in_n[5]]);
	CHECK_INT(first.exprs[in_m[1]], second.exprs[in_n[1]]);
	CHECK_INT(first.exprs[in_m[2]], second.exprs[in_n[3]]);
	CHECK_INT(7, p.n_vars); // new, the length's two lower bytes and the third b are new
	CHECK_INT(2, p.sources[second.sources[4]].ordinal);
	CHECK(first.n_seed == 3 && second.n_seed == 7);
	import_cover(&first);
	CHECK_INT(7, first.n_seed);
	for (uint32_t i = 0; i < 6; i++)
		CHECK_INT("Nx\1yzw"[i], second.seed[p.only[second.exprs[in_n[i]]]]);
	for (uint32_t i = 0; i < 3; i++)
		CHECK_INT("ABC"[i], first.seed[p.only[first.exprs[in_m[i]]]]);
	CHECK_INT(0, first.seed[p.only[second.exprs[in_n[0]]]]); // not of this run
	CHECK_INT(0, first.seed[p.only[second.exprs[in_n[4]]]]);
	import_release(&first);
	import_release(&second);
	expr_pool_release(&p);
}

// Bytes behind the end of an input are 0 in the run.
static void behind_the_end(void)
{
	struct expr_pool p;
	struct import im;
	struct made m;
	made_init(&m);
	made_input(&m, input_source(INPUT_VARIABLE, INPUT_BYTES, 0, "a"), "xyzxyz\0", 8);
	made_input(&m, input_source(INPUT_VARIABLE, INPUT_BYTES, 0, "b"), "next",
	           5); // what stands behind it in the trace
	for (uint32_t i = 0; i < 11; i++)
		made_event(&m, EVENT_CONCRETE, made_byte(&m, 0, i), 0);
	struct trace t = made_trace(&m);
	expr_pool_init(&p);
	import_init(&im, &p, &t);
	CHECK(p.n_vars == 11 && memcmp(im.seed, "xyzxyz\0\0\0\0\0", 11) == 0);
	expr_input(&p, im.sources[0], 1 << 20); // as wishes do
	import_cover(&im);
	CHECK(im.n_seed == 12 && im.seed[11] == 0 && im.seed[0] == 'x');
	import_release(&im);
	expr_pool_release(&p);
}

// --- damage --------------------------------------------------------------------------------

static void sample(struct made *m)
{
	static const struct trace_case cases[] = {{3, 1}, {9, 2}};
	made_init(m);
	made_input(m, input_source(INPUT_VARIABLE, INPUT_BYTES, 0, "x"), "\7\10\0", 3);
	made_input(m, input_source(INPUT_FILE, INPUT_LENGTH, 0, "length(x)"), "\2\0\0\0", 4);
	uint32_t x = made_byte(m, 0, 0), five = made_const(m, 8, 5), bit = made_node(m, OP_ULT, 1, five, x, 0);
	uint32_t at = made_node(m, OP_ZEXT, 64, x, 0, 0), sum = made_node(m, OP_ADD, 8, five, x, 0);
	const uint32_t labels[] = {0, x, sum, 0};
	uint32_t table = made_table(m, (const uint8_t *)"abcd", labels, 4);
	uint32_t read = made_node(m, OP_LOOKUP, 16, at, table, 0);
	uint32_t part = made_node(m, OP_EXTRACT, 8, read, 5, 0), number = made_number(m, 1);
	uint32_t choice = made_node(m, OP_ITE, 8, bit, part, sum);
	made_event(m, EVENT_INPUT, 0, 3);
	made_event(m, EVENT_BRANCH, bit, 1);
	uint32_t at_switch = made_event(m, EVENT_SWITCH, choice, 9);
	made_event(m, EVENT_CHECK, made_node(m, OP_EQ, 1, part, five, 0), 1);
	made_event(m, EVENT_CONCRETE, number, 2);
	made_event(m, EVENT_ASSUME, bit, 1);
	made_events(m)[at_switch].site = made_switch(m, cases, 2);
}

// What is read from it can be used: it is an expression of one bit.
static void use_all(const struct trace *t)
{
	struct expr_pool p;
	struct import im;
	expr_pool_init(&p);
	import_init(&im, &p, t);
	for (uint32_t i = 0; i < t->n_events; i++) {
		uint32_t c = import_condition(&im, i);
		import_cover(&im);
		if (c)
			CHECK(expr_width(&p, c) == 1 && expr_eval(&p, c, im.seed) <= 1);
	}
	import_release(&im);
	expr_pool_release(&p);
}

static void damage(void)
{
	unsigned damaged = 0, read = 0;
	struct made m;
	sample(&m);
	uint8_t *copy = test_alloc(m.size);
	memcpy(copy, m.header, m.size);
	for (int i = 0; i < 4000; i++) {
		const struct trace_header *h = m.header;
		memcpy(m.header, copy, m.size);
		const struct {
			size_t from, size;
		} parts[] =
			{
				{offsetof(struct trace_header, nodes),
		                 offsetof(struct trace_header, input) + 32 - offsetof(struct trace_header, nodes)},
				{h->nodes_at, h->nodes * sizeof(struct trace_node)},
				{h->events_at, h->events * sizeof(struct trace_event)},
				{h->text_at, h->text},
			},
		  *part = &parts[i % COUNT(parts)];
		test_mutate((uint8_t *)m.header, part->from, part->from + part->size);
		struct trace t;
		struct err err;
		if (trace_read(m.header, m.size, &t, &err) < 0)
			continue;
		use_all(&t);
		read++;
		damaged += t.damaged;
	}
	CHECK_THAT(read > 3000 && damaged > 300, "%u read, %u damaged", read, damaged);
}

// Inputs that nobody described, or described badly.
static void unknown_inputs(void)
{
	struct expr_pool p;
	struct import im;
	struct made m;
	made_init(&m);
	made_input(&m, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "x"), "\7", 1);
	m.header->input[0].data = UINT32_MAX;
	static const uint32_t inputs[] = {0, 1, 4095, 4096, UINT32_MAX};
	uint32_t labels[COUNT(inputs)];
	for (size_t i = 0; i < COUNT(inputs); i++)
		made_event(&m, EVENT_CONCRETE, labels[i] = made_byte(&m, inputs[i], UINT32_MAX - 1), 0);
	struct trace t = made_trace(&m);
	expr_pool_init(&p);
	import_init(&im, &p, &t);
	CHECK_INT(COUNT(inputs), p.n_vars); // each is its own
	for (size_t i = 0; i < COUNT(inputs); i++)
		CHECK_INT(0, im.seed[p.only[im.exprs[labels[i]]]]);
	import_release(&im);
	expr_pool_release(&p);
}

// As many inputs as there can be, all of one name.
static void one_name(void)
{
	struct expr_pool p;
	struct import im;
	struct made m;
	made_init(&m);
	for (uint32_t i = 0; i < TRACE_INPUTS; i++)
		m.header->input[i] = (struct trace_input){.name = UINT32_MAX};
	m.header->inputs = TRACE_INPUTS;
	struct trace t = made_trace(&m);
	expr_pool_init(&p);
	clock_t from = clock();
	import_init(&im, &p, &t);
	CHECK(clock() - from < 5 * CLOCKS_PER_SEC);
	CHECK_INT(TRACE_INPUTS, p.n_sources);
	for (uint32_t i = 0; i < TRACE_INPUTS; i++)
		CHECK_INT(i, p.sources[im.sources[i]].ordinal);
	import_release(&im);
	expr_pool_release(&p);
}

static const struct test tests[] = {
	TEST(conditions), TEST(tables),         TEST(there_and_back), TEST(lengths),        TEST(no_lengths),
	TEST(two_traces), TEST(behind_the_end), TEST(damage),         TEST(unknown_inputs), TEST(one_name),
};

TEST_MAIN("import")
