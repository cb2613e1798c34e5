// Calls of functions that are neither instrumented nor modelled. Labels that go in are
// lost, which is reported; what such a function writes has no labels, which shows in the
// bytes that changed.
#include <string.h>

#include "runtime/trace/calls.h"
#include "runtime/trace/rt.h"

enum { SHOWN = 4, COPY_MAX = 1 << 16, PAGE = 4096, PAGES = COPY_MAX / PAGE + 1 };

static __thread struct {
	const void *callee;
	unsigned n;
	uint64_t address[SHOWN], size[SHOWN];
	uint32_t pages[SHOWN]; // those that were copied, a bit each
	uint8_t *copy;         // SHOWN of COPY_MAX bytes
} shown __attribute__((tls_model("initial-exec")));

_Static_assert(PAGES <= 32, "a bit for each page");

// What a page has of the bytes that are shown. Returns its size.
static uint64_t part(uint64_t address, uint64_t size, unsigned page, uint64_t *offset)
{
	uint64_t first = address / PAGE * PAGE, from = first + page * (uint64_t)PAGE, to = from + PAGE;
	from = from < address ? address : from;
	to = to > address + size ? address + size : to;
	*offset = from - address;
	return to > from ? to - from : 0;
}

// Pages without labels are not touched: a file that is mapped may end before them.
static void copy_pages(unsigned k)
{
	uint64_t address = shown.address[k], offset;
	shown.pages[k] = 0;
	for (unsigned page = 0; page < PAGES; page++) {
		uint64_t n = part(address, shown.size[k], page, &offset);
		if (!n || !rt_any(address + offset, n))
			continue;
		memcpy(shown.copy + k * COPY_MAX + offset, (const void *)(address + offset), n);
		shown.pages[k] |= 1u << page;
	}
}

// The rest of the object that it points into, when that has labels.
static void show(uint64_t address)
{
	struct rt_object o;
	rt_touch_cell(address);
	if (!address || !rt_object_find(address, &o) || address - o.base >= o.size)
		return;
	uint64_t size = o.base + o.size - address;
	if (size > COPY_MAX)
		size = COPY_MAX;
	if (!rt_any(address, size))
		return;
	if (!shown.copy)
		shown.copy = rt_map(SHOWN * COPY_MAX);
	if (!shown.copy)
		return;
	shown.address[shown.n] = address;
	shown.size[shown.n] = size;
	copy_pages(shown.n++);
}

RT_SLOW void __veer_t_foreign(uint32_t mark, const void *callee, uint64_t p0, uint64_t p1, uint64_t p2, uint64_t p3)
{
	if (!mark || !rt_on)
		return;
	shown.callee = callee;
	shown.n = 0;
	show(p0);
	show(p1);
	show(p2);
	show(p3);
}

static void clear_changed(void)
{
	for (unsigned k = 0; k < shown.n; k++) {
		const uint8_t *now = (const uint8_t *)shown.address[k], *was = shown.copy + k * COPY_MAX;
		struct rt_object o; // it may be gone: free, fclose
		if (!rt_object_find(shown.address[k], &o) || o.base + o.size < shown.address[k] + shown.size[k])
			continue;
		for (unsigned page = 0; page < PAGES; page++) {
			uint64_t offset, n = part(shown.address[k], shown.size[k], page, &offset);
			for (uint64_t i = offset; shown.pages[k] >> page & 1 && i < offset + n; i++)
				if (now[i] != was[i])
					rt_clear(shown.address[k] + i, 1);
		}
	}
	shown.n = 0;
}

// The name's place in the trace.
static uint32_t name_of(const char *name)
{
	static struct {
		const char *name;
		uint32_t at;
	} known[64] RT_LARGE;
	size_t slot = ((uint64_t)name >> 3) % 64;
	if (known[slot].name != name) {
		known[slot].name = name;
		known[slot].at = rt_text(name, strlen(name) + 1);
	}
	return known[slot].at;
}

void rt_unmodelled(struct site *site, const char *name)
{
	if (!rt_on)
		return;
	rt_event(EVENT_UNMODELLED, site, 0, name ? name_of(name) : 0);
	if (name)
		rt_note_unmodelled(name);
}

RT_SLOW void __veer_t_after_call(struct site *site, uint32_t any, const void *callee, const char *name)
{
	if (!any || !rt_on)
		return;
	if (shown.callee == callee) {
		shown.callee = NULL;
		clear_changed();
	}
	if (__veer_passing.target != callee)
		return;
	__veer_passing.target = NULL;
	if (name) // else it needs no model
		rt_unmodelled(site, name);
}

void rt_not_foreign(const void *callee)
{
	if (shown.callee == callee)
		shown.callee = NULL;
	rt_passed_back(callee);
}
