// What is given to functions that are neither instrumented nor modelled. Labels are lost there, so the conditions
// of the path do not say that these bytes are relevant; events do. Each label is reported once in a run: what it stands
// for is the same ever after.
//
// Whether a function is instrumented is known when it is entered: then it takes the labels, and the events are
// taken back.
#include "runtime/trace/calls.h"
#include "runtime/trace/rt.h"

enum { MOST = 4096 }; // bytes behind a pointer; a mark does not tell of more

static __thread struct {
	const void *asked;    // the function that was last thought to take no labels
	const void *callee;   // and the one that something was last noted for
	uint32_t from, to, n; // its events, when there are n of them: other threads write events, too
} last __attribute__((tls_model("initial-exec")));

// --- functions that take labels ------------------------------------------------------------

static const void *instrumented[1024] RT_LARGE; // those that were met last

static const void **place_of(const void *callee)
{
	return &instrumented[((uint64_t)callee >> 4) % (sizeof instrumented / sizeof *instrumented)];
}

static bool is_instrumented(const void *callee)
{
	last.asked = callee;
	return *place_of(callee) == callee;
}

// --- labels that were reported----------------------------------------------------------------

static void note_passed(struct site *site, const void *callee, label l, uint64_t value)
{
	if (!rt_on || rt_is_passed(l))
		return;
	if (last.callee != callee || last.to != rt_trace->events) {
		last.callee = callee;
		last.from = rt_trace->events;
		last.n = 0;
	}
	if (l)
		rt_expect(l, value, "in what a function is given");
	rt_event(EVENT_PASSED, site, l, value);
	last.n++;
	last.to = rt_trace->events;
	if (l)
		rt_note_passed(l, true);
}

// There is more than is reported; once for a place in the program, or a few times.
static void tell_more(struct site *site, const void *callee)
{
	static const struct site *sites[64] RT_LARGE;
	const struct site **s = &sites[((uint64_t)site >> 4) % 64];
	if (*s == site)
		return;
	*s = site;
	note_passed(site, callee, 0, MOST);
}

void rt_passed_back(const void *callee)
{
	if (last.asked != callee)
		return;
	last.asked = NULL;
	if (*place_of(callee) != callee)
		*place_of(callee) = callee;
	if (last.callee != callee)
		return;
	last.callee = NULL;
	if (!rt_on || last.to - last.from != last.n)
		return;
	const struct trace_event *events = (const struct trace_event *)((const char *)rt_trace + rt_trace->events_at);
	for (uint32_t i = last.from; i < last.to; i++)
		rt_note_passed(events[i].label, false); // when the events stay after all, some are reported twice
	rt_forget_events(last.from, last.to);
}

// --- entries from instrumented code ----------------------------------------------------------

// The rest of the object that the address lies in. What is in none, such as the program's arguments, is text: other
// text may stand behind it.
RT_SLOW void __veer_t_passed(struct site *site, uint32_t mark, const void *callee, uint64_t address)
{
	struct rt_object o;
	if (!mark || !rt_on || is_instrumented(callee))
		return;
	rt_touch_cell(address);
	if (!rt_any(address, MOST))
		return;
	bool known = rt_object_find(address, &o) && address - o.base < o.size;
	uint64_t size = known ? o.base + o.size - address : MOST, n = size < MOST ? size : MOST;
	for (uint64_t i = 0; i < n; i++) {
		label l = rt_load(address + i, 1);
		if (l)
			note_passed(site, callee, l, *(const uint8_t *)(address + i));
		if (!known && (!l || !*(const uint8_t *)(address + i)))
			return;
	}
	if (!known || rt_any(address + n, size - n))
		tell_more(site, callee);
}

RT_SLOW void __veer_t_passed_value(struct site *site, uint32_t l, const void *callee, uint64_t low, uint64_t high)
{
	if (!l || !rt_on || is_instrumented(callee))
		return;
	unsigned width = rt_width(l);
	label below = width > 64 ? rt_extract(l, 0, 64) : l, above = width > 64 ? rt_extract(l, 64, width - 64) : 0;
	if (below)
		note_passed(site, callee, below, low);
	if (above)
		note_passed(site, callee, above, high);
}
