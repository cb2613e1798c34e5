// Calls of functions that are neither instrumented nor modelled. Labels that go in are
// lost, which is told; what such a function writes has no labels, which shows in the
// bytes that changed.
#include <string.h>

#include "runtime/trace/calls.h"
#include "runtime/trace/rt.h"

enum { SHOWN = 4, COPY_MAX = 1 << 16 };

static __thread struct {
	const void *callee;
	unsigned n;
	uint64_t address[SHOWN], size[SHOWN];
	uint8_t *copy; // SHOWN of COPY_MAX bytes
} shown __attribute__((tls_model("initial-exec")));

// The rest of the object that it points into, when that has labels.
static void show(uint64_t address)
{
	struct rt_object o;
	if (!address || !rt_object_find(address, &o) || address - o.base >= o.size)
		return;
	if (o.kind == OBJECT_MAPPING) // there may be nothing behind the end of the file
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
	memcpy(shown.copy + shown.n++ * COPY_MAX, (const void *)address, size);
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
		for (uint64_t i = 0; i < shown.size[k]; i++)
			if (now[i] != was[i])
				rt_clear(shown.address[k] + i, 1);
	}
	shown.n = 0;
}

// The name's place in the trace.
static uint32_t name_of(const char *name)
{
	static struct {
		const char *name;
		uint32_t at;
	} known[64];
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
}
