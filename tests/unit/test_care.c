// Don't-care analysis: whatever does not matter can have any value; and methods find
// what they promise to find.
#include <stdio.h>

#include "base/mem.h"
#include "expr/tape.h"
#include "paths.h"
#include "solver/blast.h"
#include "solver/care.h"
#include "test.h"

enum { FILLINGS = 100 };

struct fixture {
	struct path path;
	struct solver_env env;
	struct care_solver *solver;
	struct care care;
	struct tape tape;
	uint32_t *steps;
};

static void setup(struct fixture *f, uint64_t *r, uint32_t n_bytes, uint32_t n, bool floats)
{
	*f = (struct fixture){0};
	path_make(&f->path, r, n_bytes, n, floats);
	f->env = (struct solver_env){.pool = &f->path.pool, .strict = true};
	f->solver = care_new(&f->env);
	tape_init(&f->tape, &f->path.pool);
	f->steps = mem_alloc((n + 1) * sizeof *f->steps);
	for (uint32_t i = 0; i < n; i++)
		f->steps[i] = tape_add(&f->tape, f->path.conditions[i]);
}

static void teardown(struct fixture *f)
{
	care_release(&f->care);
	care_free(f->solver);
	tape_release(&f->tape);
	mem_free(f->steps);
	path_release(&f->path);
}

static bool all_hold(struct fixture *f, const uint8_t *bytes)
{
	tape_load(&f->tape, bytes);
	tape_run(&f->tape);
	for (uint32_t i = 0; i < f->path.n; i++)
		if (!f->tape.values[f->steps[i]])
			return false;
	return true;
}

static bool find(struct fixture *f, enum care_method method)
{
	return care_find(&f->care, f->solver, f->path.conditions, f->path.n, f->path.bytes, method);
}

// Fills what does not matter: at random, all 0, all 1, all the other way.
static void check_fillings(struct fixture *f, uint64_t *r, enum care_method method)
{
	uint8_t *bytes = test_alloc(f->path.n_bytes);
	CHECK_INT(f->path.n_bytes, f->care.n);
	for (int k = 0; k < FILLINGS; k++) {
		for (uint32_t i = 0; i < f->care.n; i++) {
			uint8_t old = f->path.bytes[i], mask = f->care.masks[i];
			uint8_t new = k == 0 ? 0 : k == 1 ? 0xff : k == 2 ? (uint8_t)~old : (uint8_t)random_next(r);
			if (k % 4 == 3 && random_below(r, 4))
				new = old;
			bytes[i] = (uint8_t)((old & mask) | (new & ~mask));
		}
		CHECK_THAT(all_hold(f, bytes), "%s, filling %d", care_method_name(method), k);
	}
}

// --- soundness ---------------------------------------------------------------------------------

static void any_filling_keeps_conditions(void)
{
	for (uint64_t seed = 1; seed <= 32; seed++) {
		uint64_t r = seed;
		struct fixture f;
		setup(&f, &r, 4 + random_below(&r, 40), 1 + random_below(&r, 30), seed % 4 == 0);
		for (unsigned m = 0; m < CARE_METHODS; m++) {
			CHECK(find(&f, (enum care_method)m));
			CHECK_INT(SOLVER_NONE, f.env.reason);
			check_fillings(&f, &r, (enum care_method)m);
		}
		teardown(&f);
	}
}

// Few bytes, so that all fillings can be tried.
static void all_fillings(void)
{
	for (uint64_t seed = 1; seed <= 12; seed++) {
		uint64_t r = 1000 + seed;
		struct fixture f;
		setup(&f, &r, 2, 1 + random_below(&r, 4), false);
		bool *holds = test_alloc(65536);
		for (unsigned v = 0; v < 65536; v++)
			holds[v] = all_hold(&f, (uint8_t[]){(uint8_t)v, (uint8_t)(v >> 8)});
		unsigned old = f.path.bytes[0] | f.path.bytes[1] << 8;
		for (unsigned m = 0; m < CARE_METHODS; m++) {
			CHECK(find(&f, (enum care_method)m));
			unsigned mask = f.care.masks[0] | f.care.masks[1] << 8;
			for (unsigned v = 0; v < 65536; v++)
				CHECK_THAT(((v ^ old) & mask) || holds[v], "%s", care_method_name((enum care_method)m));
			// Of prime, no bit can be left out.
			for (unsigned bit = 0; m == CARE_PRIME && bit < 16; bit++) {
				bool fails = false;
				for (unsigned v = 0; v < 65536 && mask >> bit & 1; v++)
					fails |= !((v ^ old) & mask & ~(1u << bit)) && !holds[v];
				CHECK(!(mask >> bit & 1) || fails);
			}
		}
		teardown(&f);
	}
}

// --- results -----------------------------------------------------------------------------------

enum { BYTES = 33 };
static uint32_t inputs[BYTES];

// A pool with n bytes of input, for conditions written by hand.
static void setup_bytes(struct fixture *f, const uint8_t *bytes, uint32_t n)
{
	*f = (struct fixture){.path = {.n_bytes = n}};
	expr_pool_init(&f->path.pool);
	f->path.bytes = mem_alloc(n);
	memcpy(f->path.bytes, bytes, n);
	f->path.conditions = mem_alloc(8 * sizeof *f->path.conditions);
	uint32_t source = expr_source(&f->path.pool, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "x"));
	for (uint32_t i = 0; i < n; i++)
		inputs[i] = expr_input(&f->path.pool, source, i);
	f->env = (struct solver_env){.pool = &f->path.pool, .strict = true};
	f->solver = care_new(&f->env);
	tape_init(&f->tape, &f->path.pool);
	f->steps = mem_alloc(8 * sizeof *f->steps);
}

static void setup_by_hand(struct fixture *f, const uint8_t bytes[8])
{
	setup_bytes(f, bytes, 8);
}

static void add(struct fixture *f, uint32_t condition)
{
	f->path.conditions[f->path.n] = condition;
	f->steps[f->path.n++] = tape_add(&f->tape, condition);
}

static void single_bytes_are_exact(void)
{
	struct fixture f;
	setup_by_hand(&f, (const uint8_t[8]){'x', 'A', 200, 7});
	struct expr_pool *p = &f.path.pool;
	add(&f, expr_not(p, expr_eq(p, inputs[0], 'y')));                                   // one bit
	add(&f, expr_make(p, OP_ULE, 1, expr_const(p, 8, 128), inputs[2], 0));              // the highest
	add(&f, expr_eq(p, expr_make(p, OP_AND, 8, inputs[3], expr_const(p, 8, 5), 0), 5)); // two
	// Several conditions of one byte count together: 0x40..0x5f and not 0x41 with the bit 0x20.
	add(&f, expr_make(p, OP_ULT, 1, inputs[1], expr_const(p, 8, 0x60), 0));
	add(&f, expr_make(p, OP_ULT, 1, expr_const(p, 8, 0x3f), inputs[1], 0));
	for (unsigned m = CARE_WORDS; m < CARE_METHODS; m++) {
		if (m == CARE_DCC_PLAIN || m == CARE_LM_PLAIN)
			continue;
		CHECK(find(&f, (enum care_method)m));
		CHECK_INT(1, __builtin_popcount(f.care.masks[0]));
		CHECK_INT(0x80, f.care.masks[2]);
		CHECK_INT(5, f.care.masks[3]);
		CHECK_INT(0xe0, f.care.masks[1]);
		CHECK_INT(0, f.care.masks[4]);
		CHECK_INT(4, care_bytes(&f.care));
		CHECK_INT(7, care_bits(&f.care));
	}
	CHECK(find(&f, CARE_SIMPLIFY));
	CHECK_INT(4, care_bytes(&f.care));
	CHECK(find(&f, CARE_NONE));
	CHECK_INT(8, care_bytes(&f.care));
	teardown(&f);
}

// The example of the paper: an array read at an index that is input. What is read matters, other elements
// do not.
static void array_reads(void)
{
	struct fixture f;
	setup_by_hand(&f, (const uint8_t[8]){5, 1, 1, 1, 1, 1, 5, 1});
	struct expr_pool *p = &f.path.pool;
	uint32_t table = expr_table(p, (const uint8_t[7]){0}, inputs + 1, 7);
	uint32_t read = expr_lookup(p, 8, expr_make(p, OP_ZEXT, 64, inputs[0], 0, 0), table);
	add(&f, expr_make(p, OP_EQ, 1, read, inputs[0], 0));
	uint64_t r = 5;
	for (unsigned m = CARE_WORDS; m < CARE_METHODS; m++) {
		if (m == CARE_DCC_PLAIN || m == CARE_LM_PLAIN)
			continue;
		CHECK(find(&f, (enum care_method)m));
		check_fillings(&f, &r, (enum care_method)m);
		CHECK_INT(0xff, f.care.masks[0]);
		CHECK_INT(0xff, f.care.masks[6]);
		// One pass may come upon a reason of three bytes.
		CHECK_THAT(care_bytes(&f.care) == 2 || (m == CARE_JUSTIFY && care_bytes(&f.care) == 3), "%s: %u",
		           care_method_name((enum care_method)m), care_bytes(&f.care));
	}
	CHECK(find(&f, CARE_SIMPLIFY));
	CHECK_INT(8, care_bytes(&f.care));
	teardown(&f);
}

// One alternative of two is enough, whichever methods choose.
static void alternatives(void)
{
	struct fixture f;
	setup_by_hand(&f, (const uint8_t[8]){1, 2, 3, 4});
	struct expr_pool *p = &f.path.pool;
	uint32_t left = expr_make(p, OP_AND, 1, expr_eq(p, inputs[0], 1), expr_eq(p, inputs[1], 2), 0);
	uint32_t right = expr_make(p, OP_ULT, 1, inputs[2], inputs[3], 0);
	add(&f, expr_make(p, OP_OR, 1, left, right, 0));
	uint64_t r = 6;
	for (unsigned m = CARE_WORDS; m < CARE_METHODS; m++) {
		if (m == CARE_DCC_PLAIN || m == CARE_LM_PLAIN)
			continue;
		CHECK(find(&f, (enum care_method)m));
		check_fillings(&f, &r, (enum care_method)m);
		CHECK_INT(2, care_bytes(&f.care));
	}
	teardown(&f);
}

// A gate whose value no condition relies on may stay undefined; for that, its clauses need not hold.
static void open_definitions(void)
{
	struct fixture f;
	setup_by_hand(&f, (const uint8_t[8]){1, 2, 3, 4});
	struct expr_pool *p = &f.path.pool;
	uint32_t product = expr_make(p, OP_MUL, 8, inputs[2], inputs[3], 0);
	uint32_t other = expr_make(p, OP_EQ, 1, product, inputs[1], 0);
	add(&f, expr_make(p, OP_OR, 1, expr_eq(p, inputs[0], 1), other, 0));
	CHECK(find(&f, CARE_LM));
	CHECK_INT(0xff, f.care.masks[0]);
	CHECK_INT(1, care_bytes(&f.care));
	CHECK(find(&f, CARE_LM_PLAIN));
	CHECK(care_bytes(&f.care) > 1);
	teardown(&f);
}

// --- operators ---------------------------------------------------------------------------------

// Numbers that are close to each other, and to 0.
static void random_bytes(uint64_t *r, uint8_t *bytes)
{
	uint32_t style = random_below(r, 3);
	for (unsigned i = 0; i < BYTES; i++)
		bytes[i] = style == 0 ? (uint8_t)random_next(r) : i % 16 ? 0 : (uint8_t)random_below(r, 140);
	if (style == 2)
		memcpy(bytes + 16, bytes, 15);
}

// One bit of one node, under random values: words, which has a rule per operator.
static void check_operator(unsigned op, unsigned width, uint64_t *r)
{
	struct fixture f;
	uint8_t bytes[BYTES];
	random_bytes(r, bytes);
	setup_bytes(&f, bytes, BYTES);
	struct expr_pool *p = &f.path.pool;
	uint32_t e = query_node(p, inputs, op, width, r);
	e = expr_make(p, OP_EXTRACT, 1, e, random_below(r, expr_width(p, e)), 0);
	add(&f, expr_eval(p, e, bytes) ? e : expr_not(p, e));
	CHECK(find(&f, CARE_WORDS));
	uint8_t filled[BYTES];
	for (int k = 0; k < 30; k++) {
		random_bytes(r, filled);
		for (unsigned i = 0; i < BYTES; i++)
			filled[i] = (uint8_t)((bytes[i] & f.care.masks[i]) | (filled[i] & ~f.care.masks[i]));
		CHECK_THAT(all_hold(&f, filled), "%s, width %u", op_name(op), width);
	}
	teardown(&f);
}

static void operators(void)
{
	static const unsigned widths[] = {1, 3, 8, 13, 32, 64, 128}, floats[] = {32, 64};
	uint64_t r = 7;
	for (unsigned op = OP_ADD; op < OP_LOOKUP; op++)
		for (size_t i = 0; i < COUNT(widths); i++)
			for (int k = 0; k < 6; k++)
				check_operator(op, widths[i], &r);
	for (unsigned op = OP_FADD; op <= OP_FTOF; op++)
		for (size_t i = 0; i < COUNT(floats); i++)
			for (int k = 0; k < 6; k++)
				check_operator(op, floats[i], &r);
}

// --- 1-maximal ---------------------------------------------------------------------------------

// Ternary simulation of its own, straight over the graph: 0, 1, 2 unknown.
static unsigned simulate(const struct aig *g, uint8_t *v, aig_lit root, const uint8_t *bytes, const uint8_t *masks)
{
	for (uint32_t i = 1; i < g->n; i++) {
		const struct aig_node *n = &g->nodes[i];
		if (n->a == AIG_INPUT) {
			bool known = masks[n->b / 8] >> n->b % 8 & 1;
			v[i] = known ? bytes[n->b / 8] >> n->b % 8 & 1 : 2;
			continue;
		}
		unsigned a = v[n->a >> 1], b = v[n->b >> 1];
		a = a == 2 ? 2 : a ^ (n->a & 1);
		b = b == 2 ? 2 : b ^ (n->b & 1);
		v[i] = !a || !b ? 0 : a == 2 || b == 2 ? 2 : 1;
	}
	unsigned r = v[root >> 1];
	return r == 2 ? 2 : r ^ (root & 1);
}

// No bit can be left out so that all conditions are still known to be true.
static void ternary_is_maximal(void)
{
	for (uint64_t seed = 1; seed <= 16; seed++) {
		uint64_t r = 2000 + seed;
		struct fixture f;
		struct blaster b;
		setup(&f, &r, 4 + random_below(&r, 10), 1 + random_below(&r, 10), false);
		blaster_init(&b, &f.path.pool, 0);
		aig_lit *roots = test_alloc(f.path.n * sizeof *roots);
		for (uint32_t i = 0; i < f.path.n; i++)
			roots[i] = blast_condition(&b, f.path.conditions[i]);
		uint8_t *v = test_alloc(b.aig.n);
		v[0] = 0;
		static const enum care_method maximal[] = {CARE_TERNARY, CARE_LM, CARE_PRIME};
		for (size_t m = 0; m < COUNT(maximal); m++) {
			CHECK(find(&f, maximal[m]));
			for (uint32_t i = 0; i < 8 * f.care.n; i++) {
				uint8_t bit = (uint8_t)(1u << i % 8);
				if (!(f.care.masks[i / 8] & bit))
					continue;
				f.care.masks[i / 8] ^= bit;
				bool known = true;
				for (uint32_t k = 0; k < f.path.n; k++)
					known &= simulate(&b.aig, v, roots[k], f.path.bytes, f.care.masks) == 1;
				f.care.masks[i / 8] ^= bit;
				CHECK_THAT(!known, "%s, seed %d", care_method_name(maximal[m]), (int)seed);
			}
		}
		blaster_release(&b);
		teardown(&f);
	}
}

static void better_methods_find_more(void)
{
	uint32_t bits[CARE_METHODS] = {0};
	for (uint64_t seed = 1; seed <= 12; seed++) {
		uint64_t r = 3000 + seed;
		struct fixture f;
		setup(&f, &r, 30, 30, false);
		uint32_t now[CARE_METHODS], bytes[CARE_METHODS];
		for (unsigned m = 0; m < CARE_METHODS; m++) {
			CHECK(find(&f, (enum care_method)m));
			bytes[m] = care_bytes(&f.care);
			bits[m] += now[m] = care_bits(&f.care);
		}
		CHECK(now[CARE_SIMPLIFY] <= now[CARE_NONE]);
		CHECK(now[CARE_WORDS] <= now[CARE_SIMPLIFY]);
		CHECK(bytes[CARE_MIXED] <= bytes[CARE_WORDS] && bytes[CARE_HASTY] <= bytes[CARE_WORDS]);
		CHECK(now[CARE_DCC_PLAIN] <= now[CARE_SIMPLIFY]);
		CHECK(now[CARE_LM_PLAIN] <= now[CARE_DCC_PLAIN]);
		CHECK(now[CARE_DCC] <= now[CARE_JUSTIFY]);
		CHECK(now[CARE_LM] <= now[CARE_DCC]);
		CHECK(now[CARE_TERNARY] <= now[CARE_JUSTIFY]);
		CHECK(now[CARE_PRIME] <= now[CARE_TERNARY]);
		teardown(&f);
	}
	CHECK(bits[CARE_DCC] < bits[CARE_DCC_PLAIN]);
	CHECK(bits[CARE_LM] < bits[CARE_LM_PLAIN]);
	CHECK(bits[CARE_MIXED] < bits[CARE_WORDS]);
	CHECK(bits[CARE_PRIME] < bits[CARE_LM]);
	CHECK(bits[CARE_PRIME] < bits[CARE_CORE]);
}

static void same_again(void)
{
	for (uint64_t seed = 1; seed <= 4; seed++) {
		uint64_t r = 4000 + seed;
		struct fixture f;
		setup(&f, &r, 30, 30, false);
		for (unsigned m = 0; m < CARE_METHODS; m++) {
			CHECK(find(&f, (enum care_method)m));
			uint8_t *first = test_alloc(f.care.n);
			memcpy(first, f.care.masks, f.care.n);
			CHECK(find(&f, (enum care_method)m)); // with what is left of the call before
			CHECK(!memcmp(first, f.care.masks, f.care.n));
			care_free(f.solver);
			f.solver = care_new(&f.env);
			CHECK(find(&f, (enum care_method)m));
			CHECK(!memcmp(first, f.care.masks, f.care.n));
		}
		teardown(&f);
	}
}

// --- limits ------------------------------------------------------------------------------------

static void limits(void)
{
	static const uint64_t nanoseconds[] = {1, 100000, 1000000, 0};
	for (uint64_t seed = 1; seed <= 6; seed++) {
		uint64_t r = 5000 + seed;
		struct fixture f;
		setup(&f, &r, 60, 60, false);
		for (unsigned m = CARE_DCC_PLAIN; m < CARE_METHODS; m++) {
			f.env.nanoseconds = nanoseconds[seed % COUNT(nanoseconds)];
			f.env.conflicts = seed % 3;
			f.env.interrupted = seed % 5 == 0;
			CHECK(find(&f, (enum care_method)m));
			if (f.env.interrupted)
				CHECK_INT(SOLVER_INTERRUPTED, f.env.reason);
			else if (f.env.nanoseconds == 1)
				CHECK_INT(SOLVER_TIME, f.env.reason);
			check_fillings(&f, &r, (enum care_method)m);
		}
		teardown(&f);
	}
}

static void little_memory(void)
{
	static const size_t sizes[] = {20000, 50000, 200000};
	for (uint64_t seed = 1; seed <= 6; seed++) {
		uint64_t r = 6000 + seed;
		struct fixture f;
		setup(&f, &r, 60, 60, false);
		care_free(f.solver);
		f.env.bytes = sizes[seed % COUNT(sizes)];
		f.solver = care_new(&f.env);
		for (unsigned m = CARE_DCC_PLAIN; m < CARE_METHODS; m++) {
			CHECK(find(&f, (enum care_method)m));
			CHECK(f.env.reason == SOLVER_NONE || f.env.reason == SOLVER_MEMORY);
			if (f.env.bytes == sizes[0])
				CHECK_INT(SOLVER_MEMORY, f.env.reason);
			check_fillings(&f, &r, (enum care_method)m);
		}
		teardown(&f);
	}
}

static void wrong_assignments(void)
{
	struct fixture f;
	setup_by_hand(&f, (const uint8_t[8]){1, 2, 3, 4});
	struct expr_pool *p = &f.path.pool;
	add(&f, expr_make(p, OP_ULT, 1, inputs[3], inputs[2], 0));
	CHECK(!find(&f, CARE_TERNARY));
	CHECK_INT(8, care_bytes(&f.care));
	f.path.conditions[0] = expr_const(p, 1, 0);
	CHECK(!find(&f, CARE_TERNARY));
	f.path.conditions[0] = expr_const(p, 1, 1);
	CHECK(find(&f, CARE_TERNARY));
	CHECK_INT(0, care_bytes(&f.care));
	f.path.n = 0;
	CHECK(find(&f, CARE_PRIME));
	CHECK_INT(0, care_bits(&f.care));
	teardown(&f);
}

static void names(void)
{
	enum care_method m;
	for (unsigned i = 0; i < CARE_METHODS; i++) {
		CHECK(care_method_find(care_method_name((enum care_method)i), &m));
		CHECK_INT(i, m);
	}
	CHECK(!care_method_find("some", &m));
}

static const struct test tests[] = {
	TEST(any_filling_keeps_conditions),
	TEST(all_fillings),
	TEST(single_bytes_are_exact),
	TEST(array_reads),
	TEST(alternatives),
	TEST(open_definitions),
	TEST(operators),
	TEST(ternary_is_maximal),
	TEST(better_methods_find_more),
	TEST(same_again),
	TEST(limits),
	TEST(little_memory),
	TEST(wrong_assignments),
	TEST(names),
};

TEST_MAIN("care")
