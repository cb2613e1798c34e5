#include "solver/distance.h"

#include <math.h>

enum { DEPTH = 12 }; // of connectives, below which a condition holds or does not

static eval_value magnitude_mask(unsigned width)
{
	return eval_mask(width) >> 1;
}

static eval_value infinity_of(unsigned width)
{
	return eval_bits(INFINITY, width);
}

bool distance_is_nan(eval_value bits, unsigned width)
{
	return (bits & magnitude_mask(width)) > infinity_of(width);
}

eval_signed distance_rank(eval_value bits, unsigned width)
{
	eval_signed magnitude = (eval_signed)(bits & magnitude_mask(width));
	return bits >> (width - 1) & 1 ? -magnitude : magnitude;
}

eval_value distance_unrank(eval_signed rank, unsigned width)
{
	eval_value magnitude = rank < 0 ? (eval_value)-rank : (eval_value)rank, most = infinity_of(width);
	if (magnitude > most)
		magnitude = most;
	// Of 80 bits the leading digit is written out; what has an exponent without it is no number.
	if (width == 80 && magnitude >> 64 && !(magnitude >> 63 & 1))
		magnitude |= (eval_value)1 << 63;
	return rank < 0 ? magnitude | (eval_value)1 << (width - 1) : magnitude;
}

static double scaled(eval_value units, unsigned width)
{
	return log2(1 + (double)units) / (width + 1);
}

static double between(eval_signed a, eval_signed b, unsigned width)
{
	return scaled(a > b ? (eval_value)a - (eval_value)b : (eval_value)b - (eval_value)a, width);
}

// a < b (or a <= b) is wanted and does not hold; `gap`: 1, or 0 for <=.
static double above(eval_signed a, eval_signed b, unsigned gap, unsigned width)
{
	return a < b ? 0 : scaled((eval_value)a - (eval_value)b + gap, width);
}

static double of_floats(const struct tape *t, const struct tape_step *s, bool wanted)
{
	unsigned width = s->width_a;
	eval_value va = t->values[s->a], vb = t->values[s->b];
	bool nan = distance_is_nan(va, width) || distance_is_nan(vb, width);
	eval_signed a = distance_rank(va, width), b = distance_rank(vb, width);
	if (s->node.op == OP_FUNO || nan)
		return 1;
	switch (s->node.op) {
	case OP_FEQ: return wanted ? between(a, b, width) : scaled(1, width);
	case OP_FLT: return wanted ? above(a, b, 1, width) : above(b, a, 0, width);
	case OP_FLE: return wanted ? above(a, b, 0, width) : above(b, a, 1, width);
	default: return 1;
	}
}

static double of_integers(const struct tape *t, const struct tape_step *s, bool wanted)
{
	unsigned width = s->width_a;
	bool is_signed = s->node.op == OP_SLT || s->node.op == OP_SLE;
	eval_value va = t->values[s->a], vb = t->values[s->b];
	// Unsigned numbers of 128 bits lose their order here, which only costs time.
	eval_signed a = is_signed ? eval_sign(va, width) : (eval_signed)va;
	eval_signed b = is_signed ? eval_sign(vb, width) : (eval_signed)vb;
	switch (s->node.op) {
	case OP_EQ: return wanted ? between(a, b, width) : scaled(1, width);
	case OP_ULT:
	case OP_SLT: return wanted ? above(a, b, 1, width) : above(b, a, 0, width);
	default: return wanted ? above(a, b, 0, width) : above(b, a, 1, width);
	}
}

static double find(const struct tape *t, uint32_t step, bool wanted, unsigned depth);

static double both(const struct tape *t, const struct tape_step *s, bool first, bool second, unsigned depth)
{
	return (find(t, s->a, first, depth) + find(t, s->b, second, depth)) / 2;
}

static double either(double a, double b)
{
	return a < b ? a : b;
}

// One bit made of others.
static double of_connective(const struct tape *t, const struct tape_step *s, bool wanted, unsigned depth)
{
	bool equal = wanted == (s->node.op == OP_EQ);
	switch (s->node.op) {
	case OP_NOT: return find(t, s->a, !wanted, depth);
	case OP_AND:
		return wanted ? both(t, s, true, true, depth)
		              : either(find(t, s->a, false, depth), find(t, s->b, false, depth));
	case OP_OR:
		return wanted ? either(find(t, s->a, true, depth), find(t, s->b, true, depth))
		              : both(t, s, false, false, depth);
	case OP_XOR:
	case OP_EQ: return either(both(t, s, true, equal, depth), both(t, s, false, !equal, depth));
	case OP_ITE:
		return either(find(t, s->a, true, depth) + find(t, s->b, wanted, depth),
		              find(t, s->a, false, depth) + find(t, s->c, wanted, depth)) /
		       2;
	default: return 1;
	}
}

static double find(const struct tape *t, uint32_t step, bool wanted, unsigned depth)
{
	const struct tape_step *s = &t->steps[step];
	double r = 1;
	if ((t->values[step] & 1) == wanted)
		return 0;
	if (depth == 0)
		return 1;
	if (op_class(s->node.op) == OP_CLASS_FLOAT_COMPARISON)
		r = of_floats(t, s, wanted);
	else if (op_class(s->node.op) == OP_CLASS_COMPARISON && s->width_a > 1)
		r = of_integers(t, s, wanted);
	else if (s->node.width == 1)
		r = of_connective(t, s, wanted, depth - 1);
	return r > 0 && r <= 1 ? r : 1; // it does not hold, whatever the numbers say
}

double distance_of(const struct tape *t, uint32_t step, bool wanted)
{
	return find(t, step, wanted, DEPTH);
}
