// Accesses through addresses: tables in place of what is read through symbolic ones.
#include <string.h>

#include "runtime/fragment/fragment.h"
#include "runtime/trace/calls.h"
#include "runtime/trace/rt.h"

// The object's content as a table; the same content makes the same table.
static uint32_t snapshot(uint64_t base, uint64_t size)
{
	static struct {
		uint64_t base, size;
		uint32_t table;
	} last[64] RT_LARGE;
	size_t slot = (base >> 4 ^ size) % 64;
	bool labelled = rt_any(base, size);
	if (!labelled && last[slot].base == base && last[slot].size == size && last[slot].table) {
		const char *bytes = (char *)rt_trace + rt_trace->text_at + 8 * (uint64_t)last[slot].table +
		                    sizeof(struct trace_table);
		if (memcmp(bytes, (const void *)base, size) == 0)
			return last[slot].table;
	}
	struct {
		struct trace_table head;
		uint8_t bytes[TRACE_TABLE_MAX];
		uint32_t labels[TRACE_TABLE_MAX];
	} t = {.head = {.address = base, .size = size, .labelled = labelled}};
	memcpy(t.bytes, (const void *)base, size);
	size_t bytes = sizeof t.head + size;
	if (labelled) {
		for (uint64_t i = 0; i < size; i++)
			t.labels[i] = rt_load(base + i, 1);
		bytes = (bytes + 7) & ~(size_t)7;
		memmove((char *)&t + bytes, t.labels, size * sizeof *t.labels);
		bytes += size * sizeof *t.labels;
	}
	uint32_t table = rt_text(&t, bytes);
	if (!labelled) {
		last[slot].base = base;
		last[slot].size = size;
		last[slot].table = table;
	}
	return table;
}

// The label of what is read through a labelled address, or 0: then the address is as
// good as concrete, and the bytes' own labels count.
static label lookup(struct site *site, label l, uint64_t address, uint32_t size, uint64_t base, uint64_t base_size)
{
	struct rt_object o;
	rt_expect(l, address, "in an address");
	bool is_position = rt_is_position(l);
	bool known = rt_object_of(address, base, base_size, &o);
	label offset = known ? rt_check_bounds(site, l, address, size, &o) : 0;
	bool inside = !is_position && offset && address >= o.base && address + size <= o.base + o.size;
	if (inside && o.size_label) { // the table has the size of this run
		label last = rt_constant(64, o.size - size), within = last ? rt_binary(OP_ULE, 64, offset, last) : 0;
		if (within)
			rt_concrete(site, within, 1, REASON_TABLE);
	}
	if (inside && o.size <= TRACE_TABLE_MAX && size <= 8) { // larger objects concretise the address
		uint32_t table = snapshot(o.base, o.size);
		eval_value value = 0;
		memcpy(&value, (const void *)address, size);
		if (table)
			return rt_lookup(offset, table, 8 * size, value);
	}
	rt_concrete(site, l, address, REASON_ADDRESS);
	return 0;
}

RT_SLOW uint32_t __veer_t_load_in(uint64_t mark, uint32_t stale, struct site *site, uint32_t l, uint64_t address,
                                  uint32_t size, uint64_t base, uint64_t base_size)
{
	l = rt_used(site, l, address);
	if (rt_is_known(l))
		l = 0;
	if (!l) {
		__veer_t_access(stale, site, address);
		rt_accessed(site, address, size);
	}
	label found = l && rt_on ? lookup(site, l, address, size, base, base_size) : 0;
	return found || !mark ? found : rt_load(address, size);
}

RT_SLOW uint32_t __veer_t_load_at(uint64_t mark, uint32_t stale, struct site *site, uint32_t l, uint64_t address,
                                  uint32_t size)
{
	return __veer_t_load_in(mark, stale, site, l, address, size, 0, 0);
}

RT_SLOW void __veer_t_store_in(uint64_t mark, uint32_t stale, struct site *site, uint32_t l, uint64_t address,
                               uint32_t size, uint32_t stored, uint64_t base, uint64_t base_size)
{
	l = rt_used(site, l, address);
	if (rt_is_known(l))
		l = 0;
	if (l && rt_on) {
		struct rt_object o;
		rt_expect(l, address, "in an address");
		if (rt_object_of(address, base, base_size, &o))
			rt_check_bounds(site, l, address, size, &o);
		rt_concrete(site, l, address, REASON_ADDRESS);
	} else {
		__veer_t_access(stale, site, address);
		rt_accessed(site, address, size);
	}
	rt_touch_cell(address);
	if (mark || stored)
		rt_store(address, size, rt_on ? stored : 0);
}

RT_SLOW void __veer_t_store_at(uint64_t mark, uint32_t stale, struct site *site, uint32_t l, uint64_t address,
                               uint32_t size, uint32_t stored)
{
	__veer_t_store_in(mark, stale, site, l, address, size, stored, 0, 0);
}
