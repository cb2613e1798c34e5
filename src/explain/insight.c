#include "explain/insight.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "explain/floats.h"
#include "explain/trace_pair.h"
#include "expr/tape.h"
#include "path/decide.h"

enum { DECISIONS_MAX = 20000 };

// --- relevant bytes -------------------------------------------------------------------------------

// The part of the explanation that an input of the trace is; NULL: none.
static struct explained_part *part_of(struct explanation *x, const struct trace *t, uint32_t input)
{
	struct input_source s = trace_input_source(t, input);
	const struct input_part *now = input_part_of(&x->input, s);
	if (!now)
		now = input_part_of(&x->unchanged, s);
	for (size_t i = 0; now && i < x->n_parts; i++)
		if (x->parts[i].now == now)
			return &x->parts[i];
	return NULL;
}

// Of a test, what the run read and the finding leaves as it was (files, variables) is no part of its input. It may
// relevant all the same, and is a part of the explanation then.
static void add_unchanged(struct explanation *x, const struct trace *t, const struct blamed_bytes *b)
{
	size_t from = x->n_parts;
	for (uint32_t i = 0; i < t->n_inputs; i++) {
		uint32_t size = 0;
		struct input_source s = trace_input_source(t, i);
		enum input_kind kind = (enum input_kind)s.type.kind;
		const uint8_t *data = trace_input_data(t, i, &size);
		bool can_be = kind == INPUT_VARIABLE || kind == INPUT_STDIN || kind == INPUT_FILE;
		if (!b->masks[i] || !data || s.type.role != INPUT_BYTES || !can_be || part_of(x, t, i))
			continue;
		if (kind == INPUT_VARIABLE)
			size = (uint32_t)strnlen((const char *)data, size);
		input_add(&x->unchanged, kind, input_has_name(kind) ? s.name : NULL, (const char *)data, size);
	}
	for (size_t i = 0; i < x->unchanged.n; i++) { // none moves any more
		const struct input_part *p = &x->unchanged.v[i];
		explanation_add_part(x, p, p);
	}
	assert(x->n_parts == from + x->unchanged.n);
}

static void mark_part(struct explained_part *p, const struct blamed_bytes *b, uint32_t input, uint32_t size)
{
	const uint8_t *mask = b->masks[input];
	if (!p->marks)
		p->marks = mem_zero(p->now->data.len + 1);
	for (size_t k = 0; k < size && k < p->now->data.len; k++) {
		uint8_t *mark = &p->marks[k];
		if (mask && k < b->sizes[input] && mask[k])
			*mark = BYTE_RELEVANT;
		else if (*mark == BYTE_UNKNOWN) // read twice, it may have mattered before
			*mark = BYTE_ANY;
	}
}

static void take_marks(struct explanation *x, const struct trace *t, struct blame blame)
{
	struct blamed_bytes b;
	if (!blame_bytes(&b, t, blame))
		return;
	add_unchanged(x, t, &b);
	for (uint32_t i = 0; i < t->n_inputs; i++) {
		uint32_t size = 0;
		const uint8_t *data = trace_input_data(t, i, &size);
		struct explained_part *p = part_of(x, t, i);
		if (p && data && trace_input_type(t, i).role == INPUT_BYTES)
			mark_part(p, &b, i, size);
	}
	x->care = x->care_of = 0;
	const struct input_part *name = input_argument(&x->input, 0);
	for (size_t i = 0; i < x->n_parts; i++) {
		const struct explained_part *p = &x->parts[i];
		size_t size = p->now && p->now != name ? p->now->data.len : 0;
		x->care_of += (int32_t)size;
		for (size_t k = 0; p->marks && k < size; k++)
			x->care += p->marks[k] == BYTE_RELEVANT;
	}
	blamed_bytes_release(&b);
}

// --- the path -------------------------------------------------------------------------------------

// The first event at which the runs go different ways; `end` when there is none before it.
static uint32_t divergence(const struct trace *now, const struct trace *was, uint32_t end)
{
	struct decisions a = {0}, b = {0};
	decisions_read(&a, now, 0, DECISIONS_MAX);
	decisions_read(&b, was, 0, DECISIONS_MAX);
	uint32_t k = 0, found = end;
	for (uint32_t i = 0; i < a.n && found == end; i++) {
		if (a.v[i].check)
			continue;
		if (a.v[i].event >= end)
			break;
		while (k < b.n && b.v[k].check)
			k++;
		if (k == b.n || b.v[k].key != a.v[i].key)
			found = a.v[i].event;
		k++;
	}
	decisions_release(&a);
	decisions_release(&b);
	return found;
}

// Whether an event stands in the line that fails.
static bool is_there(const struct trace *t, const struct trace_event *e, const struct trace_event *failing)
{
	const struct trace_site *a = trace_site(t, e->site), *b = trace_site(t, failing->site);
	return a && b && a->line == b->line && strcmp(trace_text(t, a->file), trace_text(t, b->file)) == 0;
}

// Whether all that the run decides from an event on belongs to the line that fails: an address that leads elsewhere is
// no other way.
static bool is_at_failure(const struct trace *t, uint32_t from, struct blame blame)
{
	for (uint32_t i = from; blame.event < t->n_events && i < blame.end; i++) {
		const struct trace_event *e = &t->events[i];
		if (e->label && trace_is_condition(e) && !is_there(t, e, &t->events[blame.event]))
			return false;
	}
	return blame.event < t->n_events;
}

// --- all of it ------------------------------------------------------------------------------------

static bool is_failure(const struct trace_event *e)
{
	return e->kind == EVENT_CHECK && e->label && !trace_value(e);
}

static bool is_about_change(const struct trace_pair *s, uint32_t label)
{
	struct tape tape;
	bool changed = false;
	tape_init(&tape, &s->pool);
	tape_add(&tape, s->now.exprs[label]);
	for (uint32_t i = 0; i < tape.n_vars; i++)
		changed |= s->now.seed[tape.vars[i]] != s->was.seed[tape.vars[i]];
	tape_release(&tape);
	return changed;
}

// Of checks that fail in one place, the first that is about what was changed.
static uint32_t choose_check(const struct trace_pair *s, struct blame blame)
{
	const struct trace *t = s->now.trace;
	for (uint32_t i = blame.event; s->has_was && i < blame.end; i++)
		if (is_failure(&t->events[i]) && is_about_change(s, t->events[i].label))
			return i;
	return blame.event;
}

// Takes the check from whichever run has it.
static void take_check(struct explanation *x, struct trace_pair *s, struct import *of, uint32_t event)
{
	failure_take(x, s, of, event);
	steps_add_failure(x, s, of, event);
}

// The last value that was taken as it is in the line that fails, of those that are about what was changed if there are
// any; n_events: there is none.
static uint32_t last_value(const struct trace_pair *s, struct blame blame)
{
	const struct trace *t = s->now.trace;
	uint32_t last = t->n_events;
	for (uint32_t i = blame.end; blame.event < t->n_events && i-- > 0;) {
		const struct trace_event *e = &t->events[i];
		if (e->kind != EVENT_CONCRETE || !e->label || !is_there(t, e, &t->events[blame.event]))
			continue;
		if (!s->has_was || is_about_change(s, e->label))
			return i;
		last = last == t->n_events ? i : last;
	}
	return last;
}

void insight_take(struct explanation *x, const struct trace *now, const struct trace *was)
{
	const struct stored_finding *f = &x->finding;
	struct blame blame = blame_find(now, f->file, f->line, f->stack);
	struct trace_pair s;
	trace_pair_init(&s, now, was, f->stack);
	uint32_t from = was ? divergence(now, was, blame.begin) : blame.end;
	x->diverges = was && from < blame.begin && !is_at_failure(now, from, blame);
	steps_take(x, &s, blame, from);
	if (blame.fails) {
		take_check(x, &s, &s.now, choose_check(&s, blame));
	} else if (was && !x->diverges) {
		uint32_t violated = blame_violated(was, now, f->file, f->line, f->stack);
		if (violated < was->n_events)
			take_check(x, &s, &s.was, violated);
	}
	uint32_t value = x->condition ? now->n_events : last_value(&s, blame);
	if (value < now->n_events)
		x->depends = trace_pair_decides(&s, &now->events[value]);
	floats_take(x, &s);
	trace_pair_release(&s);
	take_marks(x, now, blame);
}
