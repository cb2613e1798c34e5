// Bit-blasting: every operator, as a graph, computes what eval.h says; and the clauses
// of the graph are satisfied exactly by what makes it true.
#include <stdio.h>

#include "base/mem.h"
#include "expr/tape.h"
#include "query.h"
#include "solver/blast.h"
#include "solver/cnf.h"
#include "test.h"

enum { BYTES = 48 };

static uint32_t inputs[BYTES];

static void make_inputs(struct expr_pool *p)
{
	uint32_t source = expr_source(p, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "x"));
	for (uint32_t i = 0; i < BYTES; i++)
		inputs[i] = expr_input(p, source, i);
}

static bool simulate(const struct aig *g, aig_lit root, const uint8_t *bytes)
{
	uint8_t *v = mem_zero(g->n);
	for (uint32_t i = 1; i < g->n; i++) {
		const struct aig_node *n = &g->nodes[i];
		if (n->a == AIG_INPUT)
			v[i] = bytes[n->b / 8] >> n->b % 8 & 1;
		else
			v[i] = (v[n->a >> 1] ^ (n->a & 1)) & (v[n->b >> 1] ^ (n->b & 1));
	}
	bool r = v[root >> 1] ^ (root & 1);
	mem_free(v);
	return r;
}

// Small numbers are more interesting than random bits: divisors, shifts, overflow at the ends.
static void random_bytes(uint64_t *r, uint8_t *bytes)
{
	static const uint8_t ends[] = {0, 1, 2, 0x7f, 0x80, 0xff, 7, 8, 33};
	uint32_t style = random_below(r, 4);
	for (unsigned i = 0; i < BYTES; i++)
		bytes[i] = style == 0   ? (uint8_t)random_next(r)
		           : style == 1 ? (i % 16 ? 0 : (uint8_t)random_next(r))
		                        : ends[random_below(r, sizeof ends)];
}

static void compare(struct expr_pool *p, struct blaster *b, uint32_t e, uint64_t *r)
{
	for (unsigned bit = 0; bit < expr_width(p, e) && bit < 128; bit += 1 + bit / 4) {
		uint32_t one = expr_make(p, OP_EXTRACT, 1, e, bit, 0);
		aig_lit l = blast_condition(b, one);
		CHECK(!b->aig.full);
		for (int k = 0; k < 4; k++) {
			uint8_t bytes[BYTES];
			random_bytes(r, bytes);
			CHECK_THAT(simulate(&b->aig, l, bytes) == (bool)expr_eval(p, one, bytes),
			           "%s, width %u, bit %u", op_name(p->nodes[e].op), expr_width(p, p->nodes[e].a), bit);
		}
	}
	blaster_clear(b);
}

static const unsigned widths[] = {1, 2, 3, 7, 8, 13, 16, 31, 32, 64, 67, 128};

static void operators(void)
{
	struct expr_pool p;
	struct blaster b;
	uint64_t r = 1;
	expr_pool_init(&p);
	make_inputs(&p);
	blaster_init(&b, &p, 0);
	for (unsigned op = OP_ADD; op < OP_LOOKUP; op++)
		for (size_t i = 0; i < COUNT(widths); i++) {
			if (widths[i] > 67 && (op == OP_UMULO || op == OP_SMULO || (op >= OP_UDIV && op <= OP_SREM)))
				continue; // right, but large
			compare(&p, &b, query_node(&p, inputs, op, widths[i], &r), &r);
		}
	blaster_release(&b);
	expr_pool_release(&p);
}

static void tables(void)
{
	struct expr_pool p;
	struct blaster b;
	uint64_t r = 2;
	expr_pool_init(&p);
	make_inputs(&p);
	blaster_init(&b, &p, 0);
	for (unsigned size = 0; size < 600; size = 2 * size + 1 + size / 3) {
		uint8_t content[1024];
		uint32_t exprs[1024] = {0};
		for (unsigned i = 0; i < size; i++) {
			content[i] = (uint8_t)random_next(&r);
			exprs[i] = random_below(&r, 3) ? 0 : inputs[20 + random_below(&r, 8)];
		}
		uint32_t index = expr_make(&p, OP_ZEXT, 64, query_word(&p, inputs, 1 + random_below(&r, 12), 0), 0, 0);
		uint32_t doubled = expr_make(&p, OP_SHL, 64, index, expr_const(&p, 64, 1), 0);
		uint32_t byte = expr_make(&p, OP_ZEXT, 64, inputs[0], 0, 0);
		for (unsigned w = 8; w <= 64; w += 8) {
			uint32_t t = expr_table(&p, content, w % 16 ? exprs : NULL, size);
			compare(&p, &b, expr_lookup(&p, w, index, t), &r);
			compare(&p, &b, expr_lookup(&p, w, doubled, t), &r);
			compare(&p, &b, expr_lookup(&p, w, query_word(&p, inputs, 64, 0), t), &r);
			compare(&p, &b, expr_lookup(&p, w, byte, expr_table(&p, content, NULL, size)), &r);
		}
	}
	blaster_release(&b);
	expr_pool_release(&p);
}

// Whether the clauses hold when every variable says what its node is under `bytes`.
static bool clauses_hold(const struct cnf *c, const uint8_t *bytes)
{
	bool *truth = mem_zero((size_t)c->n_vars + 1), holds = true, clause = false;
	for (uint32_t i = 0; i < c->n; i++)
		if (c->vars[i])
			truth[c->vars[i]] = simulate(c->aig, 2 * c->nodes[i], bytes) != c->values[i];
	for (uint32_t i = 0; i < c->n_clauses; i++) {
		int l = c->clauses[i];
		if (l == 0) {
			holds &= clause;
			clause = false;
		} else {
			clause |= truth[l < 0 ? -l : l] == (l > 0);
		}
	}
	mem_free(truth);
	return holds;
}

// The same of clauses that leave out what is known.
static bool reduced_holds(const struct cnf *c, enum cnf_result r, const uint8_t *bytes)
{
	if (r == CNF_CONTRADICTION)
		return false;
	for (uint32_t i = 0; i < c->n; i++)
		if (c->known[i] && simulate(c->aig, 2 * c->nodes[i], bytes) != (c->known[i] == CNF_IS_TRUE))
			return false;
	return clauses_hold(c, bytes);
}

static void clauses(void)
{
	struct expr_pool p;
	struct blaster b;
	struct cnf c;
	uint64_t r = 3;
	expr_pool_init(&p);
	make_inputs(&p);
	blaster_init(&b, &p, 0);
	cnf_init(&c, &b.aig);
	for (unsigned op = OP_ADD; op < OP_LOOKUP; op++)
		for (unsigned k = 0; k < test_times(10); k++) {
			uint8_t seed[BYTES], bytes[BYTES];
			uint32_t e = query_node(&p, inputs, op, 1 + random_below(&r, 9), &r);
			uint32_t cond[2] = {expr_make(&p, OP_EXTRACT, 1, e, random_below(&r, expr_width(&p, e)), 0),
			                    expr_make(&p, OP_ULT, 1, inputs[0], inputs[16], 0)};
			aig_lit roots[2] = {blast_condition(&b, cond[0]), blast_condition(&b, cond[1])};
			if (roots[0] <= AIG_TRUE)
				continue;
			random_bytes(&r, seed);
			bool both = expr_eval(&p, cond[0], seed) && expr_eval(&p, cond[1], seed);
			CHECK(cnf_make(&c, roots, 2, seed) == both);
			for (int n = 0; n < 20; n++) {
				random_bytes(&r, bytes);
				both = expr_eval(&p, cond[0], bytes) && expr_eval(&p, cond[1], bytes);
				CHECK_THAT(clauses_hold(&c, bytes) == both, "%s", op_name(op));
			}
			enum cnf_result result = cnf_make_reduced(&c, roots, 2, seed);
			for (int n = 0; n < 20 && result != CNF_HOLDS; n++) {
				random_bytes(&r, bytes);
				both = expr_eval(&p, cond[0], bytes) && expr_eval(&p, cond[1], bytes);
				CHECK_THAT(reduced_holds(&c, result, bytes) == both, "%s, reduced", op_name(op));
			}
		}
	cnf_release(&c);
	blaster_release(&b);
	expr_pool_release(&p);
}

// A conjunction whose parts are used twice each, level by level: as a tree it has 2^40 leaves.
static void shared_conjunctions(void)
{
	enum { LEVELS = 40 };
	struct aig g;
	struct cnf c;
	uint8_t seed[2 * LEVELS / 8 + 1];
	memset(seed, 0xff, sizeof seed);
	aig_init(&g, 0);
	cnf_init(&c, &g);
	aig_lit l = aig_input(&g, 2 * LEVELS);
	for (unsigned i = 0; i < LEVELS; i++)
		l = aig_and(&g, aig_and(&g, l, aig_input(&g, 2 * i)), aig_and(&g, l, aig_input(&g, 2 * i + 1)));
	CHECK(cnf_make(&c, &l, 1, seed));
	CHECK(c.n_roots <= 2 * LEVELS + 1);
	for (unsigned i = 0; i <= 2 * LEVELS; i += 7) {
		seed[i / 8] ^= (uint8_t)(1u << i % 8);
		CHECK(!cnf_make(&c, (aig_lit[]){l, l}, 2, seed));
		seed[i / 8] ^= (uint8_t)(1u << i % 8);
	}
	cnf_release(&c);
	aig_release(&g);
}

static void memory_is_bounded(void)
{
	struct expr_pool p;
	struct blaster b;
	expr_pool_init(&p);
	make_inputs(&p);
	blaster_init(&b, &p, 100000);
	uint32_t product =
		expr_make(&p, OP_MUL, 128, query_word(&p, inputs, 128, 0), query_word(&p, inputs, 128, 16), 0);
	blast_condition(&b, expr_eq(&p, product, 12345));
	CHECK(b.aig.full);
	CHECK(b.aig.n <= b.aig.limit);
	blaster_clear(&b);
	blast_condition(&b, expr_eq(&p,
	                            expr_make(&p, OP_SDIV, 128, query_word(&p, inputs, 128, 0),
	                                      query_word(&p, inputs, 128, 16), 0),
	                            3));
	CHECK(b.aig.full); // and nothing was read that is not there
	blaster_clear(&b);
	aig_lit l = blast_condition(&b, expr_eq(&p, inputs[3], 7));
	uint8_t bytes[BYTES] = {[3] = 7};
	CHECK(!b.aig.full && simulate(&b.aig, l, bytes));
	blaster_release(&b);
	expr_pool_release(&p);
}

static const struct test tests[] = {
	TEST(operators), TEST(tables), TEST(clauses), TEST(shared_conjunctions), TEST(memory_is_bounded),
};

TEST_MAIN("aig")
