// Labels of variadic arguments. The caller lays them out as the x86-64 ABI lays
// out the areas of a va_list: 48 bytes of integer registers, 128 of vector
// registers, then what is passed on the stack. va_start puts them on those areas.
#include <stdlib.h>
#include <string.h>

#include "runtime/trace/calls.h"
#include "runtime/trace/rt.h"

enum { REGISTERS = 176, STACK_MAX = RT_VARIADIC - REGISTERS };

struct va_list_tag {
	uint32_t gp_offset, fp_offset;
	uint64_t overflow_area, register_area;
};

RT_SLOW void __veer_t_variadic(uint32_t any, const void *callee, uint32_t overflow)
{
	if (!any)
		return;
	__veer_passing.variadic = callee;
	__veer_passing.overflow = overflow > STACK_MAX ? STACK_MAX : overflow;
	memset(__veer_passing.area, 0, (REGISTERS + __veer_passing.overflow) * sizeof(uint32_t));
}

RT_SLOW void __veer_t_variadic_argument(uint32_t any, uint32_t at, uint32_t size, uint32_t l)
{
	if (!any || !l || !rt_on || at + size > RT_VARIADIC)
		return;
	if (rt_width(l) != 8 * size)
		l = rt_resize(l, 8 * size);
	for (uint32_t i = 0; l && i < size; i++)
		__veer_passing.area[at + i] = l << 4 | i;
}

RT_SLOW void __veer_t_variadic_byval(uint32_t any, uint32_t at, uint32_t size, uint64_t address)
{
	for (uint32_t i = 0; any && rt_on && i < size && at + i < RT_VARIADIC; i++) {
		label l = rt_load(address + i, 1);
		__veer_passing.area[at + i] = l << 4;
	}
}

void __veer_t_variadic_save(const void *self, uint32_t *saved)
{
	saved[0] = 0;
	saved[1] = __veer_passing.on_stack == self ? __veer_passing.overflow : 0;
	__veer_passing.on_stack = NULL;
	if (__veer_passing.variadic != self)
		return;
	__veer_passing.variadic = NULL;
	saved[0] = REGISTERS + __veer_passing.overflow;
	memcpy(saved + 1, __veer_passing.area, saved[0] * sizeof *saved);
}

static void put(uint64_t address, const uint32_t *entries, uint32_t n)
{
	for (uint32_t i = 0, run; i < n; i += run) { // neighbouring bytes of a label go together
		label l = entries[i] >> 4;
		for (run = 1; l && i + run < n && (entries[i] & 15) + run < 16 && entries[i + run] == entries[i] + run;)
			run++;
		rt_store(address + i, run, l ? rt_extract(l, 8 * (entries[i] & 15), 8 * run) : 0);
	}
}

void __veer_t_variadic_start(const uint32_t *saved, void *list)
{
	const struct va_list_tag *va = list;
	if (!rt_trace)
		return;
	if (!saved[0]) { // what the caller put there has no labels; what was there before may
		rt_clear(va->register_area, REGISTERS);
		rt_clear(va->overflow_area, saved[1]);
		return;
	}
	put(va->register_area, saved + 1, REGISTERS);
	// The area starts at the first unnamed argument on the stack; so does `overflow`.
	put(va->overflow_area, saved + 1 + REGISTERS, saved[0] - REGISTERS);
}

void __veer_t_fatal(struct site *site)
{
	rt_event(EVENT_CHECK, site, 0, 0);
	abort();
}
