// The fast paths: compiled to bitcode, linked into every instrumented unit and
// inlined there. Each only asks whether there is a label at all; arguments that
// are constants in a call (sizes, operators) vanish. The instrumenter calls them
// as straight-line code and never has to split a block.
#include "runtime/trace/calls.h"

#define HELPER __attribute__((always_inline))
#define RARE(x) __builtin_expect((x) != 0, 0)

typedef uint32_t u32;
typedef uint64_t u64;

HELPER u32 __veer_h_binary(u32 op, u32 la, u32 lb, u64 a, u64 b, u64 r)
{
	return RARE(la | lb) ? __veer_t_binary(op, la, lb, a, b, r) : 0;
}

HELPER u32 __veer_h_binary_wide(u32 op, u32 la, u32 lb, u64 a, u64 a_high, u64 b, u64 b_high, u64 r, u64 r_high)
{
	typedef unsigned __int128 wide;
	return RARE(la | lb) ? __veer_t_binary_wide(op, la, lb, (wide)a_high << 64 | a, (wide)b_high << 64 | b,
	                                            (wide)r_high << 64 | r)
	                     : 0;
}

HELPER u32 __veer_h_unary(u32 op, u32 la, u64 r, u64 r_high)
{
	return RARE(la) ? __veer_t_unary(op, la, r, r_high) : 0;
}

HELPER u32 __veer_h_extract(u32 la, u32 low, u32 width, u64 r, u64 r_high)
{
	return RARE(la) ? __veer_t_extract(la, low, width, r, r_high) : 0;
}

HELPER u32 __veer_h_insert(u32 whole, u32 part, u32 low, u32 widths, u64 v, u64 v_high, u64 part_value)
{
	return RARE(whole | part) ? __veer_t_insert(whole, part, low, widths, v, v_high, part_value) : 0;
}

HELPER u32 __veer_h_select(struct site *site, u32 condition, u32 la, u32 lb, u32 width, u32 taken, u64 a, u64 a_high,
                           u64 b, u64 b_high)
{
	if (RARE(condition))
		return __veer_t_select(site, condition, la, lb, width, taken, a, a_high, b, b_high);
	return taken ? la : lb;
}

HELPER u32 __veer_h_address(u32 base, u32 index, u64 base_value, u64 index_value, u64 scale)
{
	return RARE(base | index) ? __veer_t_address(base, index, base_value, index_value, scale) : 0;
}

static inline __attribute__((always_inline)) u32 *chunk(u64 address)
{
	return (*__veer_t_regions[address >> RT_REGION_BITS & 0xffff])[address >> RT_CHUNK_BITS & 0x7fff];
}

static inline __attribute__((always_inline)) u32 *entries(u32 *c, u64 address)
{
	return c + (address & ((1 << RT_CHUNK_BITS) - 1));
}

HELPER u32 __veer_h_load(u64 address, u32 size, u32 aligned)
{
	u32 *c = chunk(address);
	if (!aligned) {
		if (RARE(c != 0 || chunk(address + size - 1) != 0))
			return __veer_t_load(address, size);
		return 0;
	}
	if (RARE(c != 0)) {
		const u32 *e = entries(c, address);
		u32 any = 0;
		for (u32 i = 0; i < size; i++)
			any |= e[i];
		if (RARE(any))
			return __veer_t_load(address, size);
	}
	return 0;
}

HELPER void __veer_h_store(u64 address, u32 size, u32 aligned, u32 l)
{
	u32 *c = chunk(address);
	if (RARE(l)) {
		__veer_t_store(address, size, l);
	} else if (!aligned) {
		if (RARE(c != 0 || chunk(address + size - 1) != 0))
			__veer_t_store(address, size, 0);
	} else if (RARE(c != 0)) {
		u32 *e = entries(c, address);
		for (u32 i = 0; i < size; i++)
			e[i] = 0;
	}
}

// Memory that comes into being (a local variable) has no labels yet.
HELPER void __veer_h_clear(u64 address, u64 size)
{
	if (RARE(size > (1 << RT_CHUNK_BITS) || chunk(address) != 0 || chunk(address + size - 1) != 0))
		__veer_t_fill(address, 0, size);
}

HELPER u32 __veer_h_load_at(struct site *site, u32 l, u64 address, u32 size, u32 aligned, u64 base, u64 base_size)
{
	return RARE(l) ? __veer_t_load_symbolic(site, l, address, size, base, base_size)
	               : __veer_h_load(address, size, aligned);
}

HELPER void __veer_h_store_at(struct site *site, u32 l, u64 address, u32 size, u64 base, u64 base_size)
{
	if (RARE(l))
		__veer_t_store_symbolic(site, l, address, size, base, base_size);
}

// A sensitive place with a concrete address is logged once in a segment.
HELPER void __veer_h_access(struct site *site, u64 address)
{
	if (RARE(site->segment != __veer_t_segment)) {
		site->segment = __veer_t_segment;
		__veer_t_access(site, address);
	}
}

HELPER void __veer_h_branch(struct site *site, u32 l, u32 value)
{
	if (RARE(l))
		__veer_t_branch(site, l, value);
}

HELPER void __veer_h_check(struct site *site, u32 l, u32 value)
{
	if (RARE(l))
		__veer_t_check(site, l, value);
}

HELPER void __veer_h_switch(struct site *site, u32 l, u64 value)
{
	if (RARE(l))
		__veer_t_switch(site, l, value);
}

HELPER void __veer_h_concrete(struct site *site, u32 l, u64 value)
{
	if (RARE(l))
		__veer_t_concrete(site, l, value);
}

HELPER void __veer_h_unknown(struct site *site, u32 l)
{
	if (RARE(l))
		__veer_t_unknown(site, l);
}

// --- calls -----------------------------------------------------------------------

// Entry of a function: all ones when the argument labels are for it.
HELPER u32 __veer_h_enter(const void *self)
{
	if (RARE(__veer_t_pass.target == self)) {
		__veer_t_pass.target = 0;
		return ~0u;
	}
	return 0;
}

HELPER u32 __veer_h_argument(u32 mask, u32 index)
{
	return RARE(mask) ? __veer_t_pass.args[index] : 0;
}

HELPER void __veer_h_byval(u32 mask, u32 index, u64 address, u64 size)
{
	if (RARE(mask))
		__veer_t_copy(address, __veer_t_pass.byval[index], size);
	else
		__veer_h_clear(address, size);
}

// Before a call: `any` is nonzero when one of the argument labels is.
HELPER void __veer_h_pass(u32 any, const void *callee)
{
	if (RARE(any))
		__veer_t_pass.target = callee;
}

HELPER void __veer_h_pass_argument(u32 any, u32 index, u32 l)
{
	if (RARE(any))
		__veer_t_pass.args[index] = l;
}

HELPER void __veer_h_pass_byval(u32 any, u32 index, u64 address)
{
	if (RARE(any))
		__veer_t_pass.byval[index] = address;
}

// Any labels in a structure that is passed by value?
HELPER u32 __veer_h_any(u64 address, u64 size)
{
	return RARE(chunk(address) != 0 || chunk(address + size - 1) != 0);
}

HELPER void __veer_h_before_result(void)
{
	__veer_t_pass.source = 0;
}

HELPER u32 __veer_h_result(const void *callee, u32 index)
{
	return RARE(__veer_t_pass.source == callee) ? __veer_t_pass.results[index] : 0;
}

HELPER void __veer_h_return(const void *self, u32 l0, u32 l1, u32 l2, u32 l3)
{
	if (RARE(l0 | l1 | l2 | l3)) {
		__veer_t_pass.results[0] = l0;
		__veer_t_pass.results[1] = l1;
		__veer_t_pass.results[2] = l2;
		__veer_t_pass.results[3] = l3;
		__veer_t_pass.source = self;
	}
}

// After a call of a function that may not be instrumented: it left the labels.
HELPER void __veer_h_after_call(struct site *site, u32 any, const void *callee)
{
	if (RARE(any) && __veer_t_pass.target == callee)
		__veer_t_unmodelled(site);
}

// Variadic arguments: `at` is the offset that the ABI gives them in va_list's areas.
HELPER void __veer_h_variadic(u32 any, const void *callee, u32 overflow)
{
	if (RARE(any))
		__veer_t_variadic(callee, overflow);
}

HELPER void __veer_h_variadic_argument(u32 any, u32 at, u32 size, u32 l)
{
	if (RARE(any))
		__veer_t_variadic_argument(at, size, l);
}

HELPER void __veer_h_variadic_byval(u32 any, u32 at, u32 size, u64 address)
{
	if (RARE(any))
		__veer_t_variadic_byval(at, size, address);
}

// --- always worth a call ----------------------------------------------------------------

HELPER void __veer_h_copy(u64 to, u64 from, u64 size)
{
	__veer_t_copy(to, from, size);
}

HELPER void __veer_h_fill(u64 to, u32 l, u64 size)
{
	__veer_t_fill(to, l, size);
}

HELPER void __veer_h_variadic_save(const void *self, u32 *saved)
{
	__veer_t_variadic_save(self, saved);
}

HELPER void __veer_h_variadic_start(const u32 *saved, void *list)
{
	__veer_t_variadic_start(saved, list);
}

HELPER void __veer_h_fatal(struct site *site)
{
	__veer_t_fatal(site);
}
