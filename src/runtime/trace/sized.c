// Objects whose size is input. An access at a concrete offset into one is in bounds for this run and perhaps not for
// another, so that the object must be large enough is a check. Each access of such an object comes here: its chunks are
// listed in the label table, and granules of 16 bytes in them are marked (memory.c), so that programs without such
// objects have nothing to do.
//
// Checks are few: an access that reaches no farther than one before it on the path says nothing new, and accesses of
// one place between two conditions of the path are one check, of the farthest. That check is in the trace from the
// first access on; its constant is changed as accesses go farther, so that it is there however the run ends.
#include <string.h>

#include "runtime/trace/calls.h"
#include "runtime/trace/rt.h"

enum { PLACES = 4 }; // that have a check of their own; others share that of the last

struct growing { // a check that holds
	struct site *site;
	label needed, fine; // the constant, and what is checked
	uint32_t event;
};

// A size, of as many objects as have it: what was checked of one was checked of all.
struct sized {
	uint64_t checked; // bytes from the start that are always there, or were checked on this path
	label size_label;
	uint32_t conditions;           // of the path, when the newest checks were made
	struct growing newest[PLACES]; // `fine` is 0 where there is none
};

// Part k has FIRST << k entries. They never move: another thread may be using one.
enum { FIRST = 64, PARTS = 20 };
static struct sized first_session[FIRST]; // static, so that short runs have few pages to write to
static struct sized *parts[PARTS] = {first_session};
static uint32_t n_sized = 1;                                  // entry 0 is unused
static uint32_t first_slots[2 * FIRST], *slots = first_slots; // numbers of entries by label: open addressing
static size_t slots_cap = 2 * FIRST;

bool rt_sized;

// The object that was accessed last: loops stay in one.
static struct {
	uint64_t base, checked;
} last;

static struct sized *at(uint32_t number)
{
	unsigned part = 31 - (unsigned)__builtin_clz(number / FIRST + 1);
	return &parts[part][number - FIRST * ((1u << part) - 1)];
}

static uint32_t *slot_of(label size_label)
{
	size_t i = size_label * 0x9e3779b97f4a7c15u >> 32;
	while (slots[i & (slots_cap - 1)] && at(slots[i & (slots_cap - 1)])->size_label != size_label)
		i++;
	return &slots[i & (slots_cap - 1)];
}

static bool grow_slots(void)
{
	uint32_t *old = slots, *bigger = rt_map(4 * slots_cap * sizeof *bigger);
	if (!bigger)
		return false;
	slots = bigger;
	slots_cap *= 4;
	for (uint32_t i = 1; i < n_sized; i++)
		*slot_of(at(i)->size_label) = i;
	if (old != first_slots)
		rt_unmap(old, slots_cap / 4 * sizeof *old);
	return true;
}

// The number of a size; 0 when there is no memory for it.
static uint32_t number_of(label size_label)
{
	uint32_t *slot = slot_of(size_label);
	if (*slot)
		return *slot;
	unsigned part = 31 - (unsigned)__builtin_clz(n_sized / FIRST + 1);
	if (part >= PARTS || (!parts[part] && !(parts[part] = rt_map(((size_t)FIRST << part) * sizeof **parts))))
		return 0;
	if (2 * (size_t)(n_sized + 1) > slots_cap) {
		if (!grow_slots())
			return 0;
		slot = slot_of(size_label);
	}
	struct rt_range r = rt_range(size_label);
	*at(n_sized) = (struct sized){.checked = r.low > 0 ? (uint64_t)r.low : 0, .size_label = size_label};
	return *slot = n_sized++;
}

uint32_t rt_sized_add(uint64_t base, uint64_t size, label size_label)
{
	uint32_t number = size_label && rt_on ? number_of(size_label) : 0;
	if (!number)
		return 0;
	rt_mark(base, size + 1, true); // and where an access that is one too far begins
	rt_sized = true;
	last.checked = 0;
	return number;
}

void rt_sized_remove(uint32_t number, uint64_t base, uint64_t size)
{
	if (!number)
		return;
	rt_mark(base, size + 1, false);
	last.checked = 0;
}

// The check that an access at this place makes larger; with `fine` 0 where it has none yet.
static struct growing *growing_at(struct sized *s, const struct site *site)
{
	if (s->conditions != rt_conditions)
		memset(s->newest, 0, sizeof s->newest);
	s->conditions = rt_conditions;
	unsigned i = 0;
	while (i < PLACES - 1 && s->newest[i].fine && s->newest[i].site != site)
		i++;
	return &s->newest[i];
}

static void check(struct sized *s, struct site *site, uint64_t end, const struct rt_object *o)
{
	struct growing *g = growing_at(s, site);
	bool holds = end <= o->size;
	if (holds && g->fine && rt_check_moved(g->event, g->fine, site, o)) {
		g->site = site;
		rt_constant_change(g->needed, end);
		return;
	}
	label needed = rt_constant_own(64, end);
	label fine = needed ? rt_binary(OP_ULE, 64, needed, s->size_label) : 0;
	if (!fine)
		return;
	rt_expect(fine, holds, "in the size of an object");
	uint32_t event = rt_check_object(CHECK_SIZE, site, fine, holds, o);
	if (holds)
		*g = (struct growing){site, needed, fine, event};
}

void rt_sized_access(struct site *site, uint64_t address, uint64_t size)
{
	struct rt_object o;
	if (address - last.base < last.checked && size <= last.checked - (address - last.base))
		return;
	if (!rt_on || !site || !size || !(rt_is_marked(address + size - 1) || rt_is_marked(address)))
		return;
	if (!rt_object_find(address, &o) && !rt_block_before(address, &o))
		o.sized = 0;
	if (!o.sized) { // the variable that was there is gone
		if (rt_enter()) {
			rt_mark(address, 1, false);
			rt_leave();
		}
		return;
	}
	struct sized *s = at(o.sized);
	uint64_t end = address - o.base + size;
	if (end > s->checked && rt_is_known(s->size_label))
		s->checked = UINT64_MAX; // the path says how large it is
	if (end > s->checked) {
		check(s, site, end, &o);
		s->checked = end <= o.size ? end : UINT64_MAX; // behind one that fails, another says nothing new
	}
	last.base = o.base;
	last.checked = s->checked < o.size ? s->checked : o.size;
}

void rt_sized_reached(const struct rt_object *o, uint64_t end)
{
	if (o->sized && end <= o->size && end > at(o->sized)->checked)
		at(o->sized)->checked = end;
}

// One size, be it written 4 * n or n * 4.
static bool same_size(label a, label b)
{
	const struct trace_node *m = &rt_nodes[a], *n = &rt_nodes[b];
	return a == b || (m->op == n->op && m->width == n->width && op_commutes(m->op) && m->a == n->b && m->b == n->a);
}

// Offsets below another size of the object are written then, too, and for those above an access fails its check: so
// bytes need not depend on the size.
bool rt_whole(struct site *site, label size_label, uint64_t size, uint64_t to)
{
	struct rt_object o;
	if (rt_on && size_label && rt_object_find(to, &o) && o.base == to && o.size == size && o.size_label &&
	    same_size(o.size_label, size_label))
		return true;
	rt_concrete(site, size_label, size, REASON_SIZE);
	return false;
}

static void reached(uint64_t address, uint64_t size)
{
	struct rt_object o;
	if (rt_sized && rt_object_find(address, &o))
		rt_sized_reached(&o, address - o.base + size);
}

RT_SLOW uint32_t __veer_t_size(struct site *site, uint32_t size_label, uint64_t size, uint64_t to, uint64_t from)
{
	if (!size_label || !rt_on)
		return 0;
	if (rt_whole(site, size_label, size, to))
		return 1;
	reached(to, size);
	if (from)
		reached(from, size);
	return 0;
}

RT_SLOW void __veer_t_sized(uint32_t size_label, struct rt_dynamic *d)
{
	if (!size_label || !rt_enter())
		return;
	d->sized = rt_sized_add(d->base, d->size, size_label);
	rt_leave();
}
