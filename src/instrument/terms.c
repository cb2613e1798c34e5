#include "instrument/terms.h"

#include <assert.h>

#include "base/mem.h"
#include "base/vec.h"

static uint64_t hash_term(struct term t)
{
	uint64_t h = map_hash_number(t.extra ^ (uint64_t)t.kind << 56 ^ (uint64_t)t.width << 40);
	h = map_hash_number(h ^ t.opcode);
	return map_hash_number(h ^ ((uint64_t)t.a << 32 | t.b));
}

static bool same_term(struct term x, struct term y)
{
	return x.kind == y.kind && x.opcode == y.opcode && x.extra == y.extra && x.a == y.a && x.b == y.b &&
	       x.width == y.width;
}
MAP_FUNCTIONS(term_map, struct term_map, struct term, .term, .number, hash_term, same_term)

void terms_init(struct terms *t)
{
	*t = (struct terms){.n = 1};
	vec_room(t->v, 1, t->cap);
	t->v[0] = (struct term){0};
}

void terms_release(struct terms *t)
{
	term_map_release(&t->map);
	mem_free(t->v);
	*t = (struct terms){0};
}

static uint32_t make(struct terms *t, struct term term)
{
	struct term_slot *s = term_map_put(&t->map, term);
	if (!s->number) {
		vec_room(t->v, t->n + 1, t->cap);
		t->v[t->n] = term;
		s->number = t->n++;
	}
	return s->number;
}

uint64_t term_mask(uint32_t width)
{
	return width >= 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
}

int64_t term_signed(uint64_t value, uint32_t width)
{
	uint64_t sign = (uint64_t)1 << (width - 1);
	return (int64_t)((value ^ sign) - sign);
}

uint32_t term_constant(struct terms *t, uint32_t width, uint64_t value)
{
	assert(width && width <= 64);
	return make(t, (struct term){.kind = TERM_CONSTANT, .extra = value & term_mask(width), .width = width});
}

uint32_t term_unknown(struct terms *t, const void *of, uint32_t width)
{
	return make(t, (struct term){.kind = TERM_UNKNOWN, .extra = (uintptr_t)of, .width = width});
}

// Odd, so that it is nobody's address.
uint32_t term_fresh(struct terms *t, uint32_t width)
{
	return make(t, (struct term){.kind = TERM_UNKNOWN, .extra = t->fresh++ << 1 | 1, .width = width});
}

static bool is_constant(const struct terms *t, uint32_t n)
{
	return t->v[n].kind == TERM_CONSTANT;
}

bool term_is(const struct terms *t, uint32_t term, uint64_t value)
{
	return is_constant(t, term) && t->v[term].extra == value;
}

bool term_compare(LLVMIntPredicate predicate, uint64_t a, uint64_t b, uint32_t width)
{
	int64_t x = term_signed(a, width), y = term_signed(b, width);
	switch (predicate) {
	case LLVMIntEQ: return a == b;
	case LLVMIntNE: return a != b;
	case LLVMIntUGT: return a > b;
	case LLVMIntUGE: return a >= b;
	case LLVMIntULT: return a < b;
	case LLVMIntULE: return a <= b;
	case LLVMIntSGT: return x > y;
	case LLVMIntSGE: return x >= y;
	case LLVMIntSLT: return x < y;
	case LLVMIntSLE: return x <= y;
	}
	assert(!"a predicate");
	return false;
}

// False: the operation is not computed here.
static bool compute(LLVMOpcode opcode, uint64_t a, uint64_t b, uint32_t from, uint32_t width, uint64_t *ret)
{
	switch (opcode) {
	case LLVMAdd: *ret = a + b; return true;
	case LLVMSub: *ret = a - b; return true;
	case LLVMMul: *ret = a * b; return true;
	case LLVMAnd: *ret = a & b; return true;
	case LLVMOr: *ret = a | b; return true;
	case LLVMXor: *ret = a ^ b; return true;
	case LLVMShl: *ret = a << (b & 63); return b < width;
	case LLVMLShr: *ret = a >> (b & 63); return b < width;
	case LLVMTrunc:
	case LLVMZExt: *ret = a; return true;
	case LLVMSExt: *ret = (uint64_t)term_signed(a, from); return true;
	default: return false;
	}
}

uint32_t term_not(struct terms *t, uint32_t a)
{
	return term_operation(t, LLVMXor, 0, a, term_constant(t, 1, 1), 1);
}

// Comparisons have a constant, if any, on the right; others are EQ, SLT or ULT, or one of these negated.
static uint32_t compare(struct terms *t, LLVMIntPredicate p, uint32_t a, uint32_t b)
{
	static const LLVMIntPredicate swapped[] = {
		[LLVMIntEQ] = LLVMIntEQ,   [LLVMIntNE] = LLVMIntNE,   [LLVMIntUGT] = LLVMIntULT,
		[LLVMIntUGE] = LLVMIntULE, [LLVMIntULT] = LLVMIntUGT, [LLVMIntULE] = LLVMIntUGE,
		[LLVMIntSGT] = LLVMIntSLT, [LLVMIntSGE] = LLVMIntSLE, [LLVMIntSLT] = LLVMIntSGT,
		[LLVMIntSLE] = LLVMIntSGE};
	uint32_t width = t->v[a].width;
	if (is_constant(t, a) && is_constant(t, b) && width)
		return term_constant(t, 1, term_compare(p, t->v[a].extra, t->v[b].extra, width));
	bool is_equality = p == LLVMIntEQ || p == LLVMIntNE;
	if (is_constant(t, a) || (is_equality && !is_constant(t, b) && a > b)) {
		uint32_t other = a;
		a = b;
		b = other;
		p = swapped[p];
	}
	const struct term x = t->v[a];
	if (is_equality && term_is(t, b, 0) && (x.width == 1 || x.opcode == LLVMZExt)) {
		uint32_t inner = x.width == 1 ? a : x.a;
		if (t->v[inner].width == 1)
			return p == LLVMIntNE ? inner : term_not(t, inner);
	}
	if (p == LLVMIntNE)
		return term_not(t, compare(t, LLVMIntEQ, a, b));
	if (!is_constant(t, b) && (p == LLVMIntSGT || p == LLVMIntUGT || p == LLVMIntSLE || p == LLVMIntULE)) {
		bool less = p == LLVMIntSGT || p == LLVMIntUGT, is_signed = p == LLVMIntSGT || p == LLVMIntSLE;
		uint32_t other = compare(t, is_signed ? LLVMIntSLT : LLVMIntULT, b, a);
		return less ? other : term_not(t, other);
	}
	if (!is_constant(t, b) && (p == LLVMIntSGE || p == LLVMIntUGE))
		return term_not(t, compare(t, p == LLVMIntSGE ? LLVMIntSLT : LLVMIntULT, a, b));
	return make(t, (struct term){TERM_OPERATION, LLVMICmp, p, a, b, 1});
}

uint32_t term_operation(struct terms *t, LLVMOpcode opcode, uint64_t extra, uint32_t a, uint32_t b, uint32_t width)
{
	const struct term x = t->v[a], y = t->v[b];
	uint64_t value;
	if (opcode == LLVMICmp && x.width)
		return compare(t, (LLVMIntPredicate)extra, a, b);
	if (width && x.kind == TERM_CONSTANT && (!b || y.kind == TERM_CONSTANT) &&
	    compute(opcode, x.extra, y.extra, x.width, width, &value))
		return term_constant(t, width, value);
	if (opcode == LLVMXor && width == 1 && term_is(t, b, 1) && x.opcode == LLVMXor && term_is(t, x.b, 1))
		return x.a;
	if (opcode == LLVMTrunc && x.opcode == LLVMZExt && t->v[x.a].width == width)
		return x.a;
	return make(t, (struct term){TERM_OPERATION, opcode, extra, a, b, width});
}
