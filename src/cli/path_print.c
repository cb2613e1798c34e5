// The events of a trace as `veer path` prints them.
#include "cli/path_print.h"

#include <assert.h>
#include <string.h>

#include "cli/options.h"

static const char *const words[] = {
#define EVENT(NAME, word, condition) word,
#include "abi/events.def"
#undef EVENT
};

static const char *const reasons[] = {
#define REASON(NAME, words) words,
#include "abi/reasons.def"
#undef REASON
};

// The object of a check.
static void add_object(const struct trace *t, const struct trace_event *e, struct buf *line)
{
	const struct trace_object *o = e->kind == EVENT_CHECK ? trace_object(t, e->check.object) : NULL;
	if (!o)
		return;
	const struct trace_site *site = trace_site(t, o->site);
	buf_printf(line, " [%s", trace_text(t, o->name));
	if (o->kind == OBJECT_STACK && o->function)
		buf_printf(line, " of %s", trace_text(t, o->function));
	buf_printf(line, ", %llu bytes", (unsigned long long)o->size);
	if (o->size_label) {
		buf_addstr(line, " = ");
		trace_print(t, o->size_label, 200, line);
	}
	if (site)
		buf_printf(line, ", allocated at %s:%u", trace_text(t, site->file), site->line);
	buf_addstr(line, "]");
}

void path_print_event(const struct trace *t, uint32_t index, bool all)
{
	assert(index < t->n_events);
	const struct trace_event *e = &t->events[index];
	const struct trace_site *site = trace_site(t, e->site);
	struct buf line = {0};
	if (all)
		buf_printf(&line, "%u ", index);
	if (all || !site || e->kind == EVENT_ASSUME)
		buf_addstr(&line, words[e->kind]);
	if (site)
		buf_printf(&line, "%s%s:%u:%u %s", line.len ? " " : "", trace_text(t, site->file), site->line,
		           site->column, trace_text(t, site->function));
	if (e->kind == EVENT_UNMODELLED && e->value)
		buf_printf(&line, ": %s", trace_text(t, (uint32_t)e->value));
	if (e->kind == EVENT_INPUT) {
		buf_printf(&line, " %s, %llu bytes", trace_input_label(t, e->label), (unsigned long long)e->value);
	} else if (e->label) {
		buf_addstr(&line, ": ");
		trace_print(t, e->label, 2000, &line);
		bool truth = e->kind == EVENT_PREFER ||
		             (trace_is_condition(e) && e->kind != EVENT_SWITCH && e->kind != EVENT_CONCRETE);
		if (e->kind != EVENT_UNKNOWN) {
			buf_addstr(&line, truth ? " is " : " = ");
			trace_print_value(t, e->label, trace_value(e), &line);
		}
		if (e->kind == EVENT_SWITCH && !trace_is_case(t, e))
			buf_addstr(&line, ", no case");
	} else if (e->kind == EVENT_PASSED) {
		buf_printf(&line, ": more than %llu bytes", (unsigned long long)e->value);
	} else if (e->kind == EVENT_BEYOND) {
		buf_printf(&line, ": %s", e->cell.input < t->n_inputs ? trace_input_label(t, e->cell.input) : "?");
	} else if (e->kind == EVENT_ASSUME) {
		buf_addstr(&line, ": what does not hold, whatever the input");
	}
	if (e->kind == EVENT_CONCRETE && e->reason && e->reason < REASON_COUNT)
		buf_printf(&line, " (%s)", reasons[e->reason]);
	add_object(t, e, &line);
	cli_line(stdout, "%s", line.data);
	buf_release(&line);
}

void path_print_unmodelled(const struct trace *t)
{
	struct {
		const char *name;
		unsigned count;
	} seen[64];
	size_t n = 0;
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct trace_event *e = &t->events[i];
		if (e->kind != EVENT_UNMODELLED || !e->value)
			continue;
		const char *name = trace_text(t, (uint32_t)e->value);
		size_t k = 0;
		while (k < n && strcmp(seen[k].name, name) != 0)
			k++;
		if (k == n && n < sizeof seen / sizeof *seen) {
			seen[n].name = name;
			seen[n++].count = 0;
		}
		if (k < n)
			seen[k].count++;
	}
	for (size_t k = 0; k < n; k++) {
		size_t most = k;
		for (size_t j = k; j < n; j++)
			if (seen[j].count > seen[most].count)
				most = j;
		cli_part(stderr, "%s%s (%u)", k ? ", " : "veer: not modelled: ", seen[most].name, seen[most].count);
		seen[most] = seen[k];
	}
	if (n)
		fputs("\n", stderr);
}
