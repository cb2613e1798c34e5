// Don't-care analysis on expressions, without a graph: from the conditions down, each
// node is asked for some bits of its value, and asks its operands for what these bits
// follow from. One pass; floating point is no obstacle.
#include "solver/care_words.h"

#include <assert.h>

#include "base/mem.h"

struct words {
	const struct tape *tape;
	eval_value *asked; // per step: bits of its value
};

static eval_value ones(unsigned n)
{
	return n >= EXPR_WIDTH_MAX ? ~(eval_value)0 : ((eval_value)1 << n) - 1;
}

static unsigned highest(eval_value v) // bit; v is not 0
{
	uint64_t high = (uint64_t)(v >> 64);
	return high ? 127 - (unsigned)__builtin_clzll(high) : 63 - (unsigned)__builtin_clzll((uint64_t)v);
}

static void ask_all(struct words *w, const struct tape_step *s)
{
	unsigned n = op_operands(s->node.op);
	const uint32_t operands[] = {s->a, s->b, s->c};
	for (unsigned i = 0; i < n; i++)
		w->asked[operands[i]] = ~(eval_value)0;
}

// AND; OR is one of what is 0 in its operands. A bit that one operand decides needs only that one:
// of two, the one that was asked already, else a constant, else b, which is often the simpler one.
static void ask_and(struct words *w, const struct tape_step *s, eval_value asked, eval_value invert)
{
	eval_value a = w->tape->values[s->a] ^ invert, b = w->tape->values[s->b] ^ invert;
	eval_value either = asked & ~a & ~b, by_a = either & w->asked[s->a] & ~w->asked[s->b];
	if (w->tape->steps[s->a].node.op == OP_CONST)
		by_a = either;
	w->asked[s->a] |= (asked & b) | by_a;
	w->asked[s->b] |= (asked & a) | (either & ~by_a);
}

// Sums and products: bits depend on those below them.
static void ask_below(struct words *w, const struct tape_step *s, eval_value asked)
{
	eval_value needed = ones(highest(asked) + 1);
	if (s->node.op == OP_MUL && !w->tape->values[s->a]) {
		w->asked[s->a] |= needed;
	} else if (s->node.op == OP_MUL && !w->tape->values[s->b]) {
		w->asked[s->b] |= needed;
	} else {
		w->asked[s->a] |= needed;
		w->asked[s->b] |= needed;
	}
}

static void ask_shift(struct words *w, const struct tape_step *s, eval_value asked)
{
	unsigned width = s->node.width;
	eval_value amount = w->tape->values[s->b], sign = (eval_value)1 << (width - 1);
	w->asked[s->b] = ~(eval_value)0;
	if (amount >= width) {
		w->asked[s->a] |= s->node.op == OP_ASHR ? sign : 0;
		return;
	}
	if (s->node.op == OP_SHL) {
		w->asked[s->a] |= asked >> amount;
		return;
	}
	w->asked[s->a] |= asked << amount & ones(width);
	if (s->node.op == OP_ASHR && amount && asked >> (width - (unsigned)amount))
		w->asked[s->a] |= sign;
}

// Equal: all bits. Not equal: one bit that differs is enough; one that was asked already, if there is.
static void ask_equal(struct words *w, const struct tape_step *s)
{
	eval_value a = w->tape->values[s->a], b = w->tape->values[s->b], differ = a ^ b;
	if (!differ) {
		ask_all(w, s);
		return;
	}
	eval_value good = differ & w->asked[s->a] & w->asked[s->b];
	if (!good)
		good = differ & (w->asked[s->a] | w->asked[s->b]);
	eval_value bit = (eval_value)1 << highest(good ? good : differ);
	w->asked[s->a] |= bit;
	w->asked[s->b] |= bit;
}

// less <= more, or < : what makes the first one larger or the second one smaller is asked for, down to the
// bit that decides: 0s of the first, 1s of the second.
static void ask_order(struct words *w, const struct tape_step *s)
{
	unsigned op = s->node.op;
	const struct tape *t = w->tape;
	bool holds = t->values[s - t->steps];
	uint32_t less = holds ? s->a : s->b, more = holds ? s->b : s->a;
	eval_value flip = op == OP_SLT || op == OP_SLE ? (eval_value)1 << (s->width_a - 1) : 0;
	eval_value x = t->values[less] ^ flip, y = t->values[more] ^ flip;
	eval_value from = x == y ? 0 : highest(x ^ y), range = ones(s->width_a) & ~ones((unsigned)from);
	assert(x <= y);
	w->asked[less] |= range & ~x;
	w->asked[more] |= range & y;
}

static void ask_table(struct words *w, const struct tape_step *s, eval_value asked)
{
	const struct tape *t = w->tape;
	const struct expr_table *table = &t->pool->tables[s->node.b];
	uint64_t at = (uint64_t)t->values[s->a];
	w->asked[s->a] = ~(eval_value)0;
	for (unsigned k = 0; k < s->node.width / 8u; k++) {
		uint64_t i = at + k;
		if (i >= at && i < table->size && table->exprs && table->exprs[i])
			w->asked[t->step_of[table->exprs[i]] - 1] |= asked >> 8 * k & 0xff;
	}
}

static void ask_operands(struct words *w, const struct tape_step *s, eval_value asked)
{
	unsigned wa = s->width_a, wb = s->width_b;
	switch ((enum trace_op)s->node.op) {
	case OP_CONST:
	case OP_INPUT: break;
	case OP_AND: ask_and(w, s, asked, 0); break;
	case OP_OR: ask_and(w, s, asked, ~(eval_value)0); break;
	case OP_XOR:
		w->asked[s->a] |= asked;
		w->asked[s->b] |= asked;
		break;
	case OP_NOT: w->asked[s->a] |= asked; break;
	case OP_ZEXT: w->asked[s->a] |= asked & ones(wa); break;
	case OP_SEXT:
		w->asked[s->a] |= asked & ones(wa);
		if (asked >> (wa - 1))
			w->asked[s->a] |= (eval_value)1 << (wa - 1);
		break;
	case OP_EXTRACT: w->asked[s->a] |= asked << s->node.b; break;
	case OP_CONCAT:
		w->asked[s->b] |= asked & ones(wb);
		w->asked[s->a] |= asked >> wb;
		break;
	case OP_ITE:
		w->asked[s->a] |= 1;
		w->asked[w->tape->values[s->a] ? s->b : s->c] |= asked;
		break;
	case OP_ADD:
	case OP_SUB:
	case OP_MUL: ask_below(w, s, asked); break;
	case OP_SHL:
	case OP_LSHR:
	case OP_ASHR: ask_shift(w, s, asked); break;
	case OP_EQ: ask_equal(w, s); break;
	case OP_ULT:
	case OP_ULE:
	case OP_SLT:
	case OP_SLE: ask_order(w, s); break;
	case OP_LOOKUP: ask_table(w, s, asked); break;
	case OP_UDIV:
	case OP_SDIV:
	case OP_UREM:
	case OP_SREM:
	case OP_UADDO:
	case OP_SADDO:
	case OP_USUBO:
	case OP_SSUBO:
	case OP_UMULO:
	case OP_SMULO:
	case OP_CTPOP:
	case OP_CTLZ:
	case OP_CTTZ:
	OP_CASES_FLOAT:
		ask_all(w, s);
		break;
	}
}

void care_words(const struct tape *t, const uint32_t *roots, uint32_t n, uint8_t *ret)
{
	struct words w = {.tape = t, .asked = mem_zero((t->n + 1) * sizeof *w.asked)};
	for (uint32_t i = 0; i < n; i++)
		w.asked[roots[i]] = 1;
	for (uint32_t i = t->n; i-- > 0;) { // users stand behind what they use
		const struct tape_step *s = &t->steps[i];
		eval_value asked = w.asked[i] & ones(s->node.width);
		if (asked)
			ask_operands(&w, s, asked);
		if (s->node.op == OP_INPUT)
			ret[s->a] |= (uint8_t)asked;
	}
	mem_free(w.asked);
}
