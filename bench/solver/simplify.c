// The cost of simplification: conditions as clang's code for a text parser has them, on
// 4,000 bytes of input. Prints nanoseconds per node; ten rounds, the best counts.
//
//   cc -O2 -Isrc -Ibuild bench/solver/simplify.c build/src/expr/libexpr.a build/src/base/libbase.a -lxxhash -lm
#include <stdio.h>
#include <time.h>

#include "expr/simplify.h"

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static uint32_t binary(struct expr_pool *p, unsigned op, uint32_t a, eval_value value)
{
	bool bit = op >= OP_EQ && op <= OP_SLE;
	unsigned width = expr_width(p, a);
	return expr_make(p, op, bit ? 1 : width, a, expr_const(p, width, value), 0);
}

// What a parser asks of one byte, and of the number so far.
static unsigned ask(struct expr_pool *p, uint32_t byte, uint32_t *number, uint32_t *conditions)
{
	unsigned n = 0;
	uint32_t u = expr_make(p, OP_ZEXT, 32, byte, 0, 0), s = expr_make(p, OP_SEXT, 32, byte, 0, 0);
	uint32_t digit = binary(p, OP_SUB, s, '0');
	uint32_t index = binary(p, OP_MUL, expr_make(p, OP_SEXT, 64, u, 0, 0), 2);
	conditions[n++] = expr_not(p, binary(p, OP_EQ, s, '\n'));
	conditions[n++] = binary(p, OP_ULT, binary(p, OP_SUB, u, '0'), 10);
	conditions[n++] = expr_not(p, binary(p, OP_SLE, s, '9'));
	conditions[n++] = expr_not(p, binary(p, OP_EQ, binary(p, OP_AND, u, 0x20), 0));
	conditions[n++] = binary(p, OP_EQ, binary(p, OP_AND, binary(p, OP_ADD, index, 0x7ffff000), 1), 0);
	conditions[n++] = expr_make(p, OP_SMULO, 1, *number, expr_const(p, 32, 10), 0);
	uint32_t ten = binary(p, OP_MUL, *number, 10);
	conditions[n++] = expr_make(p, OP_SADDO, 1, ten, digit, 0);
	*number = expr_make(p, OP_ADD, 32, ten, digit, 0);
	conditions[n++] = binary(p, OP_SLT, *number, 1000);
	return n;
}

static double run(uint32_t *ret_nodes)
{
	enum { BYTES = 4000, EACH = 8, DIGITS = 5 };
	static uint32_t conditions[BYTES * EACH];
	struct expr_pool p;
	expr_pool_init(&p);
	uint32_t source = expr_source(&p, input_source(INPUT_STDIN, INPUT_BYTES, 0, "")), number = 0;
	unsigned n = 0;
	for (uint32_t i = 0; i < BYTES; i++) {
		if (i % DIGITS == 0)
			number = expr_const(&p, 32, 0);
		n += ask(&p, expr_input(&p, source, i), &number, conditions + n);
	}
	*ret_nodes = p.n;
	double start = now();
	for (unsigned i = 0; i < n; i++)
		expr_simplify(&p, conditions[i]);
	double took = now() - start;
	expr_pool_release(&p);
	return took / *ret_nodes;
}

int main(void)
{
	uint32_t nodes = 0;
	double best = 0;
	for (int i = 0; i < 10; i++) {
		double each = run(&nodes);
		best = i && best < each ? best : each;
	}
	printf("%u nodes, %.0f ns per node\n", nodes, best);
	return 0;
}
