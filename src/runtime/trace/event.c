// The event log, checks, and addresses that are concretised.
#include <string.h>

#include "runtime/fragment/fragment.h"
#include "runtime/trace/calls.h"
#include "runtime/trace/rt.h"

uint32_t __veer_t_segment, __veer_t_float_checks;
uint32_t rt_conditions;

// Sites are copied into the trace when first used; `seen` then holds the offset.
uint32_t rt_site(struct site *site)
{
	if (!site)
		return 0;
	if (site->seen)
		return site->seen;
	struct trace_site s = {.kind = site->kind, .line = site->line, .column = site->column, .point = site->point};
	s.file = rt_text(site->file, strlen(site->file) + 1);
	s.function = rt_text(site->function, strlen(site->function) + 1);
	if (site->cases) {
		s.extra = rt_text(site->cases, site->n_cases * sizeof(struct trace_case));
		s.extra_size = site->n_cases;
	}
	return site->seen = rt_text(&s, sizeof s);
}

enum { POSITION = 1, POSITION_KNOWN, POSITION_MASK, PASSED, CHOICE = 8, CHOICE_BYTE = 16, DECIDED = 32, CHECKED = 64 };

// NULL when nothing was noted, or there is no memory for it.
static uint8_t *flags; // by label: one of these, and PASSED, CHOICE (a pointer of a cell), CHOICE_BYTE, DECIDED (the
                       // path says what it is), CHECKED (a check of it held)

void rt_events_prepare(const struct trace_header *trace)
{
	flags = rt_map(trace->nodes_max);
	if (flags)
		rt_touch(flags);
}

static bool need_flags(void)
{
	if (!flags && rt_enter()) {
		if (!flags)
			flags = rt_map(rt_trace->nodes_max);
		rt_leave();
	}
	return flags;
}

// Counts what is analysed of a run: conditions, and checks of what was not checked before. With as many as are asked
// for the trace is full.
static bool is_enough(const struct trace_event *e, bool is_condition)
{
	static uint32_t decisions;
	if (!rt_trace->decisions_max || !(is_condition || e->kind == EVENT_CHECK) || !e->label)
		return false;
	if (e->kind == EVENT_CHECK && e->check.holds && need_flags()) {
		if (flags[e->label] & CHECKED)
			return false;
		flags[e->label] |= CHECKED;
	}
	return decisions++ == rt_trace->decisions_max;
}

// `detail`: the reason of EVENT_CONCRETE, the kind of EVENT_CHECK.
static void add_event(unsigned kind, struct site *site, label l, uint64_t value, unsigned skip, unsigned detail)
{
	if (!rt_on)
		return;
	struct trace_event *events = (struct trace_event *)((char *)rt_trace + rt_trace->events_at);
	struct trace_event e = {
		.kind = (uint16_t)kind, .reason = (uint16_t)detail, .site = rt_site(site), .label = l, .value = value};
	bool is_condition = kind == EVENT_BRANCH || kind == EVENT_SELECT || kind == EVENT_SWITCH ||
	                    kind == EVENT_ASSUME || kind == EVENT_CONCRETE || kind == EVENT_WITHIN;
	bool enough = is_enough(&e, is_condition);
	if (!rt_enter())
		return;
	e.stack = rt_stack(skip);
	rt_conditions += is_condition;
	static struct rt_room room;
	if (!enough && rt_have_room(&room, rt_trace->events, events, sizeof e, rt_trace->events_max))
		events[rt_trace->events++] = e;
	else
		rt_stop(1);
	rt_leave();
}

void rt_event(unsigned kind, struct site *site, label l, uint64_t value)
{
	add_event(kind, site, l, value, 0, REASON_NONE);
}

void rt_forget_events(uint32_t from, uint32_t to)
{
	if (!rt_on || !rt_enter())
		return;
	if (rt_trace->events == to)
		rt_trace->events = from;
	rt_leave();
}

// --- positions ------------------------------------------------------------------

bool rt_is_passed(label l)
{
	return flags && flags[l] & PASSED;
}

void rt_note_passed(label l, bool passed)
{
	if (need_flags())
		flags[l] = (uint8_t)((flags[l] & ~PASSED) | (passed ? PASSED : 0));
}

static unsigned position(label l)
{
	return flags ? flags[l] & POSITION_MASK : 0;
}

static void set_position(label l, unsigned to)
{
	flags[l] = (uint8_t)((flags[l] & ~POSITION_MASK) | to);
}

void rt_position(label l)
{
	if (l && rt_on && need_flags() && !position(l))
		set_position(l, POSITION);
}

// What the label is a constant away from, or has been in an int; 0 when it is neither.
static label without_constant(label l)
{
	const struct trace_node *n = &rt_nodes[l];
	switch (n->op) {
	case OP_ADD:
		if (rt_nodes[n->a].op == OP_CONST)
			return n->b;
		return rt_nodes[n->b].op == OP_CONST ? n->a : 0;
	case OP_SUB: return rt_nodes[n->b].op == OP_CONST ? n->a : 0;
	case OP_EXTRACT: return n->b == 0 && n->width >= 32 ? n->a : 0; // no position is longer
	case OP_ZEXT:
	case OP_SEXT: return rt_width(n->a) >= 32 ? n->a : 0;
	default: return 0;
	}
}

static label nearest_position(label l)
{
	for (int i = 0; i < 8 && l && !position(l); i++)
		l = without_constant(l);
	return l && position(l) ? l : 0;
}

static bool is_known(label l)
{
	label nearest = nearest_position(l);
	return nearest && position(nearest) == POSITION_KNOWN;
}

// The position that decides what the label is: besides it, there are constants and
// positions that are known.
static label position_of(label l)
{
	while (flags && l && !position(l)) {
		const struct trace_node *n = &rt_nodes[l];
		label rest = without_constant(l);
		if (!rest && n->op == OP_ADD)
			rest = is_known(n->a) ? n->b : is_known(n->b) ? n->a : 0;
		l = rest;
	}
	return flags ? l : 0;
}

static bool is_known_position(label l)
{
	label p = position_of(l);
	return p && position(p) == POSITION_KNOWN;
}

bool rt_is_known(label l)
{
	return is_known_position(l);
}

bool rt_is_position(label l)
{
	return position_of(l) != 0;
}

// --- pointers of cells ------------------------------------------------------------

static bool choices; // there are some

void rt_note_choice(label pointer, label byte)
{
	if (!need_flags())
		return;
	flags[pointer] |= CHOICE;
	set_position(pointer, POSITION);
	flags[byte] |= CHOICE_BYTE;
	choices = true;
}

// An address, as far as pointers of cells decide it; label 0: they alone do.
struct resolved {
	label l;
	uint64_t value; // without a label
	bool is_choice;
};

// The access at `address` is through this label, or through one that is a part of it: the path says from now on where
// the pointers in it lead.
static struct resolved resolve(struct site *site, label l, uint64_t address, unsigned depth)
{
	const struct trace_node *n = &rt_nodes[l];
	if (flags[l] & CHOICE) {
		if (position(l) == POSITION) {
			set_position(l, POSITION_KNOWN);
			rt_choose(site, l);
		}
		return (struct resolved){.value = rt_chosen(l), .is_choice = true};
	}
	if (n->op == OP_CONST)
		return (struct resolved){.value = n->b | (uint64_t)n->c << 32};
	if (n->op == OP_ITE && depth) { // a select told which one
		for (int i = 0; i < 2; i++) {
			label side = i ? n->c : n->b;
			if (flags[side] & CHOICE && rt_chosen(side) == address)
				return resolve(site, side, address, depth - 1);
		}
	}
	if (n->op != OP_ADD || n->width != 64 || !depth)
		return (struct resolved){.l = l};
	struct resolved a = resolve(site, n->a, address, depth - 1), b = resolve(site, n->b, address, depth - 1),
			r = {0};
	r.is_choice = a.is_choice || b.is_choice;
	if (!r.is_choice)
		return (struct resolved){.l = l};
	r.value = a.value + b.value;
	label rest = a.l && b.l ? rt_binary(OP_ADD, 64, a.l, b.l) : a.l | b.l;
	label sum = rest && r.value ? rt_constant(64, r.value) : 0;
	r.l = sum ? rt_binary(OP_ADD, 64, rest, sum) : rest;
	return r;
}

label rt_used(struct site *site, label l, uint64_t address)
{
	if (!choices || !l || !rt_on || rt_width(l) != 64)
		return l;
	struct resolved r = resolve(site, l, address, 6);
	return r.is_choice ? r.l : l;
}

// Does the condition depend on where pointers of cells lead, and on nothing else? That they are neither null nor
// misaligned is an assumption.
static bool is_about_choices(label l, unsigned *budget)
{
	const struct trace_node *n = &rt_nodes[l];
	if (!*budget)
		return false;
	--*budget;
	if (n->op == OP_INPUT)
		return flags[l] & CHOICE_BYTE;
	const label of[] = {n->a, n->b, n->c};
	for (unsigned i = 0, count = op_operands(n->op); i < count; i++)
		if (!is_about_choices(of[i], budget))
			return false;
	return n->op != OP_LOOKUP;
}

static bool is_assumed(label l)
{
	unsigned budget = 64;
	return choices && is_about_choices(l, &budget);
}

// In a run with cells, a condition that the path has already is none: what such a run decides again and again, as in a
// list that is a circle, would be asked for as often. One that decides nothing new for long ends.
static bool is_decided(label l)
{
	enum { MOST = 1 << 16 };
	static uint32_t idle;
	if (!rt_cells || !need_flags())
		return false;
	bool was = flags[l] & DECIDED;
	flags[l] |= DECIDED;
	idle = was ? idle + 1 : 0;
	if (idle == MOST) {
		rt_stop(1);
		fragment_end();
	}
	return was;
}

RT_SLOW void __veer_t_branch(struct site *site, uint32_t l, uint32_t value)
{
	if (!rt_on || !l || is_decided(l))
		return;
	rt_expect(l, value, "at a branch");
	rt_event(EVENT_BRANCH, site, l, value);
	__veer_t_segment++;
}

void rt_select(struct site *site, label condition, bool taken)
{
	if (!is_decided(condition))
		rt_event(EVENT_SELECT, site, condition, taken);
}

RT_SLOW void __veer_t_check(struct site *site, uint32_t l, uint32_t value)
{
	if (!l || is_assumed(l))
		return;
	rt_expect(l, value, "at a check");
	add_event(EVENT_CHECK, site, l, value, 1, REASON_NONE); // the caller is a function of the check's own
}

RT_SLOW void __veer_t_switch(struct site *site, uint32_t l, uint64_t value)
{
	if (!rt_on || !l || is_decided(l))
		return;
	rt_expect(l, value, "at a switch");
	rt_event(EVENT_SWITCH, site, l, value);
	__veer_t_segment++;
}

RT_SLOW void __veer_t_concrete(struct site *site, uint32_t l, uint64_t value, uint32_t reason)
{
	rt_concrete(site, l, value, (enum trace_reason)reason);
}

RT_SLOW void __veer_t_access(uint32_t stale, struct site *site, uint64_t address)
{
	if (!stale || site->segment == __veer_t_segment)
		return;
	site->segment = __veer_t_segment;
	rt_event(EVENT_ACCESS, site, 0, address);
}

void __veer_t_marker(uint64_t place)
{
	rt_past_marker = true;
	rt_event(EVENT_MARKER, NULL, 0, place);
}

RT_SLOW void __veer_t_unknown(struct site *site, uint32_t l)
{
	if (l)
		rt_event(EVENT_UNKNOWN, site, l, 0);
}

void rt_check(enum check_kind kind, struct site *site, label fine, bool holds)
{
	add_event(EVENT_CHECK, site, fine, holds, 0, kind);
}

uint32_t rt_check_object(enum check_kind kind, struct site *site, label fine, bool holds, const struct rt_object *o)
{
	if (o->kind == OBJECT_CELL) { // that it is large enough is an assumption; an access outside of it ends the run
		struct trace_event within = {.cell = {rt_cell_input(o->base), rt_cell_growth(o->base, 0)}};
		if (holds && !is_decided(fine))
			rt_event(EVENT_WITHIN, site, fine, within.value);
		return rt_trace->events;
	}
	struct trace_event e = {.check = {.holds = holds, .object = rt_object_record(o)}};
	uint32_t number = rt_trace->events;
	add_event(EVENT_CHECK, site, fine, e.value, 0, kind);
	return number;
}

bool rt_check_moved(uint32_t event, label fine, struct site *site, const struct rt_object *o)
{
	struct trace_event *e = (struct trace_event *)((char *)rt_trace + rt_trace->events_at) + event;
	if (event >= rt_trace->events || e->kind != EVENT_CHECK || e->label != fine)
		return false;
	uint32_t place = rt_site(site), object = rt_object_record(o);
	if (!rt_enter())
		return false;
	e->site = place;
	e->check.object = object;
	e->stack = rt_stack(0);
	rt_leave();
	return true;
}

// The address must lie in its object: address - base <= object size - access size. A size
// that depends on the input must be large enough for the access, too.
static label check_bounds(enum check_kind kind, struct site *site, label address, uint64_t value, uint64_t size,
                          const struct rt_object *o)
{
	label start = rt_constant(64, o->base), offset = start ? rt_binary(OP_SUB, 64, address, start) : 0;
	if (!offset)
		return 0;
	uint64_t last = o->size >= size ? o->size - size : 0;
	label limit = rt_constant(64, last), fine = 0;
	if (o->size_label) {
		label needed = rt_constant(64, size), all = o->size_label;
		label left = needed ? rt_binary(OP_SUB, 64, all, needed) : 0;
		label room = needed ? rt_binary(OP_ULE, 64, needed, all) : 0;
		label before = left ? rt_binary(OP_ULE, 64, offset, left) : 0;
		fine = room && before ? rt_binary(OP_AND, 1, room, before) : before;
	} else if (limit && !(o->size >= size && rt_lies_in(offset, 0, (int64_t)last))) {
		fine = rt_binary(OP_ULE, 64, offset, limit);
	}
	if (fine)
		rt_check_object(kind, site, fine, o->size >= size && value - o->base <= last, o);
	return offset;
}

label rt_check_bounds(struct site *site, label address, uint64_t value, uint64_t size, const struct rt_object *o)
{
	return check_bounds(CHECK_ACCESS, site, address, value, size, o);
}

// What a library function is given and that lies in an object is a pointer, which the function goes to: it must stay
// there, whatever the input.
static void check_argument(struct site *site, label l, uint64_t value)
{
	struct rt_object o;
	if (rt_width(l) == 64 && rt_object_find(value, &o) && value - o.base < o.size)
		check_bounds(CHECK_POINTER, site, l, value, 1, &o);
}

void rt_concrete(struct site *site, label l, uint64_t value, enum trace_reason reason)
{
	if (!l || !rt_on || !(l = rt_used(site, l, value)))
		return;
	label p = position_of(l);
	if (p && position(p) == POSITION_KNOWN)
		return; // the path has it already
	if (p)
		set_position(p, POSITION_KNOWN);
	rt_expect(l, value, "where a value is concretised");
	if (reason == REASON_ARGUMENT)
		check_argument(site, l, value);
	add_event(EVENT_CONCRETE, site, l, value, 0, reason);
}

static void check_room(struct site *site, label size, uint64_t value, uint64_t address, const struct rt_object *o)
{
	if (!rt_on || address - o->base > o->size)
		return;
	uint64_t offset = address - o->base;
	label needed = rt_resize(size, 64), all = o->size_label;
	label before = rt_constant(64, offset);
	if (o->size_label && before && needed)
		needed = rt_binary(OP_ADD, 64, needed, before);
	else if (!o->size_label)
		all = rt_constant(64, o->size - offset);
	label fine = needed && all ? rt_binary(OP_ULE, 64, needed, all) : 0;
	if (fine)
		rt_check_object(CHECK_ROOM, site, fine, value <= o->size - offset, o);
}

void rt_check_room(struct site *site, label size, uint64_t value, uint64_t address)
{
	struct rt_object o;
	if (!size)
		rt_accessed(site, address, value);
	else if (rt_on && rt_object_find(address, &o))
		check_room(site, size, value, address, &o);
}

bool rt_object_of(uint64_t address, uint64_t base, uint64_t base_size, struct rt_object *ret)
{
	if (rt_object_find(base ? base : address, ret))
		return true;
	if (!base)
		return false;
	*ret = (struct rt_object){.kind = OBJECT_STACK, .base = base, .size = base_size, .name = "variable"};
	return true;
}

RT_SLOW void __veer_t_extent(struct site *site, uint32_t l, uint32_t size_label, uint64_t address, uint64_t size,
                             uint64_t base, uint64_t base_size)
{
	struct rt_object o;
	l = rt_used(site, l, address);
	if (is_known_position(l))
		l = 0;
	if (!rt_on || !(l | size_label))
		return;
	bool known = rt_object_of(address, base, base_size, &o);
	if (l) {
		rt_expect(l, address, "in an address");
		if (known)
			rt_check_bounds(site, l, address, size, &o);
		rt_concrete(site, l, address, REASON_ADDRESS);
	}
	if (known && size_label)
		check_room(site, size_label, size, address, &o);
}

RT_SLOW void __veer_t_points(struct site *site, uint32_t l, uint64_t address)
{
	l = rt_used(site, l, address);
	if (!l || !rt_on || is_known_position(l))
		return;
	rt_expect(l, address, "in a pointer");
	check_argument(site, l, address);
}
