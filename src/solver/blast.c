#include "solver/blast.h"

#include <assert.h>
#include <string.h>

#include "base/bug.h"
#include "base/mem.h"
#include "base/vec.h"

enum { WIDE = 2 * EXPR_WIDTH_MAX }; // products before they are cut

void blaster_init(struct blaster *b, const struct expr_pool *pool, size_t bytes)
{
	*b = (struct blaster){.pool = pool, .n_bits = 1, .bytes = bytes};
	aig_init(&b->aig, bytes);
	tape_init(&b->tape, pool);
}

void blaster_release(struct blaster *b)
{
	aig_release(&b->aig);
	tape_release(&b->tape);
	mem_free(b->at);
	mem_free(b->bits);
	vec_release(&b->walk);
	*b = (struct blaster){0};
}

void blaster_clear(struct blaster *b)
{
	aig_clear(&b->aig);
	if (b->at)
		memset(b->at, 0, b->n_at * sizeof *b->at);
	b->n_bits = 1;
}

void blaster_tidy(struct blaster *b)
{
	if (b->aig.full || b->aig.n > b->aig.limit / 2)
		blaster_clear(b);
}

bool blast_can(const struct expr_pool *p, uint32_t id)
{
	return !(p->nodes[id].flags & EXPR_FLOAT);
}

// --- arithmetic --------------------------------------------------------------------------------

static aig_lit majority(struct aig *g, aig_lit a, aig_lit b, aig_lit c)
{
	return aig_or(g, aig_and(g, a, b), aig_and(g, c, aig_or(g, a, b)));
}

// sum = a + b + carry; returns the carry out of the highest bit. `sum` may be a or b.
static aig_lit add(struct aig *g, unsigned w, const aig_lit *a, const aig_lit *b, aig_lit carry, aig_lit *sum)
{
	for (unsigned i = 0; i < w; i++) {
		aig_lit x = a[i], y = b[i];
		sum[i] = aig_xor(g, aig_xor(g, x, y), carry);
		carry = majority(g, x, y, carry);
	}
	return carry;
}

static aig_lit subtract(struct aig *g, unsigned w, const aig_lit *a, const aig_lit *b, aig_lit *difference)
{
	aig_lit negated[WIDE];
	for (unsigned i = 0; i < w; i++)
		negated[i] = b[i] ^ 1;
	return add(g, w, a, negated, AIG_TRUE, difference) ^ 1; // borrow
}

static void negate_if(struct aig *g, unsigned w, aig_lit condition, aig_lit *a)
{
	aig_lit carry = condition;
	for (unsigned i = 0; i < w; i++) {
		aig_lit x = aig_xor(g, a[i], condition);
		a[i] = aig_xor(g, x, carry);
		carry = aig_and(g, x, carry);
	}
}

static unsigned constants(unsigned w, const aig_lit *a)
{
	unsigned n = 0;
	for (unsigned i = 0; i < w; i++)
		n += a[i] <= AIG_TRUE;
	return n;
}

static void multiply(struct aig *g, unsigned w, const aig_lit *a, const aig_lit *b, aig_lit *product)
{
	const aig_lit *x = a, *y = b; // the one with more constant bits selects
	if (constants(w, a) > constants(w, b)) {
		x = b;
		y = a;
	}
	aig_lit sum[WIDE];
	for (unsigned i = 0; i < w; i++)
		sum[i] = AIG_FALSE;
	for (unsigned i = 0; i < w && !g->full; i++) {
		if (y[i] == AIG_FALSE)
			continue;
		aig_lit part[WIDE];
		for (unsigned k = i; k < w; k++)
			part[k] = aig_and(g, x[k - i], y[i]);
		add(g, w - i, sum + i, part + i, AIG_FALSE, sum + i);
	}
	memcpy(product, sum, w * sizeof *sum);
}

// Bits up to the highest one that is not known to be 0.
static unsigned known_width(unsigned w, const aig_lit *a)
{
	while (w > 1 && a[w - 1] == AIG_FALSE)
		w--;
	return w;
}

// Digit by digit. A divisor of 0 gives all ones, and the dividend as the rest.
static void divide_all(struct aig *g, unsigned w, const aig_lit *a, const aig_lit *b, aig_lit *quotient, aig_lit *rest)
{
	aig_lit r[WIDE], less[WIDE], divisor[WIDE];
	for (unsigned i = 0; i <= w; i++) {
		r[i] = AIG_FALSE;
		divisor[i] = i < w ? b[i] : AIG_FALSE;
	}
	for (unsigned i = 0; i < w; i++)
		quotient[i] = AIG_FALSE; // literals also when the graph gets full
	for (unsigned i = w; i-- > 0 && !g->full;) {
		for (unsigned k = w; k > 0; k--)
			r[k] = r[k - 1];
		r[0] = a[i];
		aig_lit fits = subtract(g, w + 1, r, divisor, less) ^ 1;
		quotient[i] = fits;
		for (unsigned k = 0; k <= w; k++)
			r[k] = aig_mux(g, fits, less[k], r[k]);
	}
	memcpy(rest, r, w * sizeof *r);
}

// The same, on as few bits as will do.
static void divide(struct aig *g, unsigned w, const aig_lit *a, const aig_lit *b, aig_lit *quotient, aig_lit *rest)
{
	unsigned wa = known_width(w, a), wb = known_width(w, b), narrow = wa > wb ? wa : wb;
	aig_lit some = AIG_FALSE;
	for (unsigned i = 0; i < wb; i++)
		some = aig_or(g, some, b[i]);
	divide_all(g, narrow, a, b, quotient, rest);
	for (unsigned i = narrow; i < w; i++) {
		quotient[i] = some ^ 1;
		rest[i] = AIG_FALSE;
	}
}

static void divide_signed(struct aig *g, unsigned w, const aig_lit *a, const aig_lit *b, aig_lit *quotient,
                          aig_lit *rest)
{
	aig_lit x[WIDE], y[WIDE], sa = a[w - 1], sb = b[w - 1];
	memcpy(x, a, w * sizeof *a);
	memcpy(y, b, w * sizeof *b);
	negate_if(g, w, sa, x);
	negate_if(g, w, sb, y);
	divide(g, w, x, y, quotient, rest);
	negate_if(g, w, aig_xor(g, sa, sb), quotient);
	negate_if(g, w, sa, rest);
}

static aig_lit less(struct aig *g, unsigned w, const aig_lit *a, const aig_lit *b)
{
	aig_lit r = AIG_FALSE;
	for (unsigned i = 0; i < w; i++)
		r = aig_mux(g, aig_xor(g, a[i], b[i]), b[i], r);
	return r;
}

static aig_lit less_signed(struct aig *g, unsigned w, const aig_lit *a, const aig_lit *b)
{
	aig_lit x[EXPR_WIDTH_MAX], y[EXPR_WIDTH_MAX];
	memcpy(x, a, w * sizeof *a);
	memcpy(y, b, w * sizeof *b);
	x[w - 1] ^= 1;
	y[w - 1] ^= 1;
	return less(g, w, x, y);
}

static aig_lit equal(struct aig *g, unsigned w, const aig_lit *a, const aig_lit *b)
{
	aig_lit r = AIG_TRUE;
	for (unsigned i = 0; i < w; i++)
		r = aig_and(g, r, aig_xor(g, a[i], b[i]) ^ 1);
	return r;
}

// --- shifts ------------------------------------------------------------------------------------

// Bit i of the result comes from bit i + distance (left: i - distance); what comes from
// outside is `fill`.
static void shift(struct aig *g, unsigned w, bool left, aig_lit fill, const aig_lit *a, const aig_lit *amount,
                  aig_lit *out)
{
	aig_lit from[EXPR_WIDTH_MAX], beyond = AIG_FALSE;
	memcpy(out, a, w * sizeof *a);
	for (unsigned k = 0; k < w; k++) {
		if (k >= 8 || (1u << k) >= w) {
			beyond = aig_or(g, beyond, amount[k]);
			continue;
		}
		unsigned distance = 1u << k;
		memcpy(from, out, w * sizeof *out);
		for (unsigned i = 0; i < w; i++) {
			bool inside = left ? i >= distance : i + distance < w;
			aig_lit moved = inside ? from[left ? i - distance : i + distance] : fill;
			out[i] = aig_mux(g, amount[k], moved, from[i]);
		}
	}
	for (unsigned i = 0; i < w; i++)
		out[i] = aig_mux(g, beyond, fill, out[i]);
}

// --- overflow, counts --------------------------------------------------------------------------

static aig_lit product_overflows(struct aig *g, unsigned w, bool is_signed, const aig_lit *a, const aig_lit *b)
{
	aig_lit x[WIDE], y[WIDE], p[WIDE], wrong = AIG_FALSE;
	for (unsigned i = 0; i < 2 * w; i++) {
		x[i] = i < w ? a[i] : is_signed ? a[w - 1] : AIG_FALSE;
		y[i] = i < w ? b[i] : is_signed ? b[w - 1] : AIG_FALSE;
	}
	multiply(g, 2 * w, x, y, p);
	for (unsigned i = w; i < 2 * w; i++)
		wrong = aig_or(g, wrong, is_signed ? aig_xor(g, p[i], p[w - 1]) : p[i]);
	return wrong;
}

static aig_lit overflows(struct aig *g, unsigned op, unsigned w, const aig_lit *a, const aig_lit *b)
{
	aig_lit r[WIDE], sa = a[w - 1], sb = b[w - 1];
	switch (op) {
	case OP_UADDO: return add(g, w, a, b, AIG_FALSE, r);
	case OP_USUBO: return less(g, w, a, b);
	case OP_SADDO:
		add(g, w, a, b, AIG_FALSE, r);
		return aig_and(g, aig_xor(g, sa, sb) ^ 1, aig_xor(g, sa, r[w - 1]));
	case OP_SSUBO: subtract(g, w, a, b, r); return aig_and(g, aig_xor(g, sa, sb), aig_xor(g, sa, r[w - 1]));
	case OP_UMULO: return product_overflows(g, w, false, a, b);
	case OP_SMULO: return product_overflows(g, w, true, a, b);
	default: BUG("no operator that overflows");
	}
}

static void count(struct aig *g, unsigned op, unsigned w, const aig_lit *a, aig_lit *out)
{
	for (unsigned i = 0; i < w; i++)
		out[i] = op == OP_CTPOP ? AIG_FALSE : i < 8 ? w >> i & 1 : AIG_FALSE;
	for (unsigned k = 0; k < w; k++) {
		if (op == OP_CTPOP) { // one more if the bit is set
			aig_lit carry = a[k];
			for (unsigned i = 0; i < w; i++) {
				aig_lit was = out[i];
				out[i] = aig_xor(g, was, carry);
				carry = aig_and(g, was, carry);
			}
			continue;
		}
		// From the least important bit on: the last one that is set decides.
		unsigned n = w - 1 - k, bit = op == OP_CTLZ ? w - 1 - n : n;
		for (unsigned i = 0; i < w; i++)
			out[i] = aig_mux(g, a[bit], i < 8 ? n >> i & 1 : AIG_FALSE, out[i]);
	}
}

// --- tables ------------------------------------------------------------------------------------

static const aig_lit *bits_of(const struct blaster *b, uint32_t id)
{
	assert(b->at[id]);
	return b->bits + b->at[id];
}

struct selection {
	struct blaster *b;
	const struct expr_table *table;
	const aig_lit *index; // bits of the offset
	unsigned bit;         // which bit of the bytes
};

static aig_lit byte_bit(const struct selection *s, uint64_t i)
{
	uint32_t e = i < s->table->size && s->table->exprs ? s->table->exprs[i] : 0;
	if (e)
		return bits_of(s->b, e)[s->bit];
	return i < s->table->size ? s->table->bytes[i] >> s->bit & 1 : AIG_FALSE;
}

// The bit of the byte at `from` + the lowest `level` bits of the index.
static aig_lit select_bit(const struct selection *s, uint64_t from, unsigned level)
{
	if (from >= s->table->size)
		return AIG_FALSE;
	if (level == 0)
		return byte_bit(s, from);
	aig_lit c = s->index[level - 1];
	uint64_t half = (uint64_t)1 << (level - 1);
	if (c == AIG_FALSE)
		return select_bit(s, from, level - 1);
	if (c == AIG_TRUE)
		return select_bit(s, from + half, level - 1);
	return aig_mux(&s->b->aig, c, select_bit(s, from + half, level - 1), select_bit(s, from, level - 1));
}

static void look_up(struct blaster *b, const struct expr_node *n, aig_lit *out)
{
	struct aig *g = &b->aig;
	const struct expr_table *table = &b->pool->tables[n->b];
	unsigned levels = table->size > 1 ? 32 - (unsigned)__builtin_clz(table->size - 1) : 0;
	aig_lit offset[64], step[64], index[64];
	memcpy(offset, bits_of(b, n->a), sizeof offset);
	for (unsigned k = 0; k < n->width / 8u; k++) {
		for (unsigned i = 0; i < 64; i++)
			step[i] = i < 8 && k >> i & 1 ? AIG_TRUE : AIG_FALSE;
		aig_lit outside = add(g, 64, offset, step, AIG_FALSE, index);
		for (unsigned i = levels; i < 64; i++)
			outside = aig_or(g, outside, index[i]);
		for (unsigned bit = 0; bit < 8; bit++) {
			struct selection s = {.b = b, .table = table, .index = index, .bit = bit};
			out[8 * k + bit] = aig_and(g, outside ^ 1, select_bit(&s, 0, levels));
		}
	}
}

// --- functions of one byte ---------------------------------------------------------------------

// A function of a byte, from its values: decided bit by bit, equal halves only once.
static aig_lit decide(struct blaster *b, uint32_t var, const uint8_t *values, unsigned level, unsigned bit)
{
	unsigned n = 1u << level;
	bool all = true;
	for (unsigned i = 1; i < n && all; i++)
		all = ((values[i] ^ values[0]) >> bit & 1) == 0;
	if (all)
		return values[0] >> bit & 1;
	aig_lit c = aig_input(&b->aig, 8 * var + level - 1);
	return aig_mux(&b->aig, c, decide(b, var, values + n / 2, level - 1, bit),
	               decide(b, var, values, level - 1, bit));
}

// Whether a node is better made from its 256 values than from its operands.
static bool is_small(const void *opaque, uint32_t id)
{
	const struct blaster *b = opaque;
	const struct expr_node *n = &b->pool->nodes[id];
	return n->op != OP_INPUT && n->op != OP_NOT && b->pool->only[id] != EXPR_MANY && n->width <= 8 &&
	       n->op != OP_EXTRACT && n->op != OP_AND && n->op != OP_OR && n->op != OP_XOR;
}

static void from_values(struct blaster *b, uint32_t id, aig_lit *out)
{
	uint32_t var = b->pool->only[id];
	uint8_t values[256];
	tape_clear(&b->tape);
	uint32_t step = tape_add(&b->tape, id);
	tape_set(&b->tape, var, 0);
	tape_run(&b->tape);
	tape_focus(&b->tape, var);
	for (unsigned i = 0; i < 256; i++) {
		tape_try(&b->tape, (uint8_t)i);
		values[i] = (uint8_t)b->tape.values[step];
	}
	for (unsigned bit = 0; bit < b->pool->nodes[id].width; bit++)
		out[bit] = decide(b, var, values, 8, bit);
}

// --- all operators -----------------------------------------------------------------------------

static void blast_binary(struct blaster *b, const struct expr_node *n, unsigned w, const aig_lit *x, const aig_lit *y,
                         aig_lit *out)
{
	struct aig *g = &b->aig;
	aig_lit other[WIDE];
	switch (n->op) {
	case OP_ADD: add(g, w, x, y, AIG_FALSE, out); break;
	case OP_SUB: subtract(g, w, x, y, out); break;
	case OP_MUL: multiply(g, w, x, y, out); break;
	case OP_UDIV: divide(g, w, x, y, out, other); break;
	case OP_UREM: divide(g, w, x, y, other, out); break;
	case OP_SDIV: divide_signed(g, w, x, y, out, other); break;
	case OP_SREM: divide_signed(g, w, x, y, other, out); break;
	case OP_SHL: shift(g, w, true, AIG_FALSE, x, y, out); break;
	case OP_LSHR: shift(g, w, false, AIG_FALSE, x, y, out); break;
	case OP_ASHR: shift(g, w, false, x[w - 1], x, y, out); break;
	case OP_EQ: out[0] = equal(g, w, x, y); break;
	case OP_ULT: out[0] = less(g, w, x, y); break;
	case OP_ULE: out[0] = less(g, w, y, x) ^ 1; break;
	case OP_SLT: out[0] = less_signed(g, w, x, y); break;
	case OP_SLE: out[0] = less_signed(g, w, y, x) ^ 1; break;
	default: BUG("no operator of two integers");
	}
}

static void blast_bitwise(struct blaster *b, const struct expr_node *n, const aig_lit *x, const aig_lit *y,
                          aig_lit *out)
{
	for (unsigned i = 0; i < n->width; i++)
		out[i] = n->op == OP_AND  ? aig_and(&b->aig, x[i], y[i])
		         : n->op == OP_OR ? aig_or(&b->aig, x[i], y[i])
		                          : aig_xor(&b->aig, x[i], y[i]);
}

// All operands have their literals.
static void blast_node(struct blaster *b, uint32_t id, aig_lit *out)
{
	const struct expr_node *n = &b->pool->nodes[id];
	const struct expr_pool *p = b->pool;
	unsigned operands = op_operands(n->op), wa = operands > 0 ? p->nodes[n->a].width : 0;
	unsigned wb = operands > 1 ? p->nodes[n->b].width : 0;
	const aig_lit *x = operands > 0 ? bits_of(b, n->a) : NULL, *y = operands > 1 ? bits_of(b, n->b) : NULL;
	switch ((enum trace_op)n->op) {
	case OP_CONST:
		for (unsigned i = 0; i < n->width; i++)
			out[i] = (aig_lit)(expr_value(p, id) >> i & 1);
		break;
	case OP_INPUT:
		for (unsigned i = 0; i < 8; i++)
			out[i] = aig_input(&b->aig, 8 * p->only[id] + i);
		break;
	case OP_AND:
	case OP_OR:
	case OP_XOR: blast_bitwise(b, n, x, y, out); break;
	case OP_NOT:
		for (unsigned i = 0; i < wa; i++)
			out[i] = x[i] ^ 1;
		break;
	case OP_ZEXT:
	case OP_SEXT:
		for (unsigned i = 0; i < n->width; i++)
			out[i] = i < wa ? x[i] : n->op == OP_SEXT ? x[wa - 1] : AIG_FALSE;
		break;
	case OP_EXTRACT: memcpy(out, x + n->b, n->width * sizeof *out); break;
	case OP_CONCAT:
		memcpy(out, y, wb * sizeof *out);
		memcpy(out + wb, x, wa * sizeof *out);
		break;
	case OP_ITE: {
		const aig_lit *z = bits_of(b, n->c);
		for (unsigned i = 0; i < n->width; i++)
			out[i] = aig_mux(&b->aig, x[0], y[i], z[i]);
		break;
	}
	case OP_CTPOP:
	case OP_CTLZ:
	case OP_CTTZ: count(&b->aig, n->op, wa, x, out); break;
	case OP_LOOKUP: look_up(b, n, out); break;
	case OP_ADD:
	case OP_SUB:
	case OP_MUL:
	case OP_UDIV:
	case OP_SDIV:
	case OP_UREM:
	case OP_SREM:
	case OP_SHL:
	case OP_LSHR:
	case OP_ASHR:
	case OP_EQ:
	case OP_ULT:
	case OP_ULE:
	case OP_SLT:
	case OP_SLE: blast_binary(b, n, wa, x, y, out); break;
	case OP_UADDO:
	case OP_SADDO:
	case OP_USUBO:
	case OP_SSUBO:
	case OP_UMULO:
	case OP_SMULO:
		out[0] = overflows(&b->aig, n->op, wa, x, y);
		break;
	OP_CASES_FLOAT:
		BUG("floats have no circuits");
	}
}

static void keep(struct blaster *b, uint32_t id, const aig_lit *bits)
{
	unsigned w = b->pool->nodes[id].width;
	vec_room(b->bits, b->n_bits + w, b->max_bits);
	memcpy(b->bits + b->n_bits, bits, w * sizeof *bits);
	b->at[id] = b->n_bits;
	b->n_bits += w;
}

aig_lit blast_condition(struct blaster *b, uint32_t id)
{
	enum { STOP_EVERY = 1024 };
	assert(b->pool->nodes[id].width == 1 && blast_can(b->pool, id));
	if (b->n_at < b->pool->max) {
		vec_cover(b->at, b->n_at, b->pool->max);
		b->n_at = b->pool->max;
	}
	b->stopped = false;
	postorder_begin(&b->walk, id);
	for (uint32_t steps = 1; !b->aig.full; steps++) {
		if (steps % STOP_EVERY == 0 && b->stop && b->stop(b->opaque)) {
			b->stopped = true;
			return AIG_FALSE;
		}
		uint32_t e = postorder_next(&b->walk, b->pool, b->at, is_small, b);
		if (!e)
			break;
		aig_lit out[WIDE];
		if (is_small(b, e))
			from_values(b, e, out);
		else
			blast_node(b, e, out);
		keep(b, e, out);
	}
	return b->aig.full ? AIG_FALSE : bits_of(b, id)[0];
}
