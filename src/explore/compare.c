#include "explore/compare.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "findings/where.h"

void observed_release(struct observed *o)
{
	buf_release(&o->output);
	written_release(&o->written);
}

static void take(const struct executor *e, const struct run_result *run, struct observed *ret)
{
	struct err err;
	ret->run = *run;
	buf_release(&ret->output);
	file_read(e->output, &ret->output, &err);
}

int observe(struct executor *e, const struct input *in, unsigned milliseconds, struct observed *ret, struct err *err)
{
	struct run_result run;
	e->written = &ret->written;
	int r = executor_run(e, in, milliseconds, &run, err);
	e->written = NULL;
	if (r == 0)
		take(e, &run, ret);
	return r;
}

bool observed_is_cut(const struct observed *o)
{
	return o->run.end != RUN_EXITED && o->run.end != RUN_SIGNAL;
}

// --- what differs ---------------------------------------------------------------------------------

static void say_end(struct buf *out, const struct run_result *r)
{
	buf_printf(out, r->end == RUN_SIGNAL ? "signal %d" : "exit status %d", r->code);
}

static bool same_end(const struct observed *a, const struct observed *b)
{
	return a->run.end == b->run.end && a->run.code == b->run.code;
}

static bool same_output(const struct observed *a, const struct observed *b)
{
	return a->output.len == b->output.len &&
	       (!a->output.len || memcmp(a->output.data, b->output.data, a->output.len) == 0);
}

static void quote(struct buf *out, const struct buf *text, size_t at)
{
	enum { SHOWN = 16 };
	if (at >= text->len) {
		buf_addstr(out, "the end");
		return;
	}
	buf_addch(out, '"');
	for (size_t i = at; i < text->len && i < at + SHOWN; i++) {
		unsigned char c = (unsigned char)text->data[i];
		if (c == '\n')
			buf_addstr(out, "\\n");
		else if (c < ' ' || c > '~' || c == '"' || c == '\\')
			buf_printf(out, "\\x%02x", c);
		else
			buf_addch(out, (char)c);
	}
	buf_addstr(out, "\"");
}

static void say_output(struct buf *out, const struct buf *native, const struct buf *traced)
{
	size_t at = 0;
	while (at < native->len && at < traced->len && native->data[at] == traced->data[at])
		at++;
	buf_printf(out, "output at byte %zu: expected ", at);
	quote(out, native, at);
	buf_addstr(out, ", got ");
	quote(out, traced, at);
}

bool observed_same(const struct observed *native, const struct observed *traced, const struct observed *again,
                   struct buf *ret_why)
{
	if (!same_end(native, traced) && (!again || same_end(native, again))) {
		say_end(ret_why, &traced->run);
		buf_addstr(ret_why, ", natively ");
		say_end(ret_why, &native->run);
		return false;
	}
	if (!same_output(native, traced) && (!again || same_output(native, again))) {
		say_output(ret_why, &native->output, &traced->output);
		return false;
	}
	return written_same(&native->written, &traced->written, again ? &again->written : NULL, ret_why);
}

// --- where ----------------------------------------------------------------------------------------

// The last place that the trace has: where something depended on input.
static bool last_place(const struct executor *e, struct buf *out)
{
	struct buf taken = {0};
	struct trace t;
	struct err err;
	bool found = false;
	if (trace_take(e->trace, e->trace_size, &taken, &t, &err) < 0)
		return false;
	for (uint32_t i = t.n_events; i-- > 0 && !found;) {
		const struct trace_site *site = trace_site(&t, t.events[i].site);
		if (!site)
			continue;
		buf_printf(out, "; last seen at %s:%u in %s", trace_text(&t, site->file), site->line,
		           trace_text(&t, site->function));
		found = true;
	}
	buf_release(&taken);
	return found;
}

static void say_where(const struct executor *e, const struct observed *o, struct buf *out)
{
	char *place = o->run.end == RUN_SIGNAL ? where_ended(e) : NULL;
	size_t n = place ? strcspn(place, " ") : 0, size = place ? strlen(place) : 0;
	bool has_line = place && place[n] && !(size > 2 && strcmp(place + size - 2, ":0") == 0);
	if (has_line)
		buf_printf(out, "; it ended at %s in %.*s", place + n + 1, (int)n, place);
	else if (!last_place(e, out) && place)
		buf_printf(out, "; it ended in %.*s", (int)n, place);
	mem_free(place);
}

// --- comparing ------------------------------------------------------------------------------------

// Is a difference the program's own doing, or the tracing's? *ret_why: what differs, and where in the source the traced
// run ended; empty: nothing does.
static int compare_again(struct compare *c, unsigned milliseconds, const struct observed *before, struct buf *ret_why,
                         struct err *err)
{
	struct observed again = {0}, other = {0};
	bool steady = c->traced->setup.steady;
	c->forget(c->opaque);
	int r = observe(c->native, c->input, c->native_ms, &again, err);
	if (r == 0) {
		c->traced->setup.steady = false;
		c->traced->where = true;
		r = observe(c->traced, c->input, milliseconds, &other, err);
		c->traced->setup.steady = steady;
		c->traced->where = false;
	}
	if (r == 0 && !observed_is_cut(&again) && !observed_is_cut(&other) &&
	    !observed_same(before, &other, &again, ret_why))
		say_where(c->traced, &other, ret_why);
	observed_release(&again);
	observed_release(&other);
	return r;
}

static enum outcome outcome_of_end(const struct run_result *r, enum outcome otherwise)
{
	return r->end == RUN_TIMEOUT                          ? OUTCOME_CUT_TIME
	       : r->end == RUN_MEMORY || r->end == RUN_OUTPUT ? OUTCOME_CUT_SIZE
	                                                      : otherwise;
}

// Tracing costs a multiple of the native time.
static unsigned limit_traced(const struct compare *c)
{
	enum { FACTOR = 50 };
	uint64_t ms = FACTOR * c->native_us / 1000;
	ms = ms > c->most_ms ? c->most_ms : ms;
	return ms > c->least_ms ? (unsigned)ms : c->least_ms;
}

// Objects that the program makes symbolic itself have content of their own in a traced run.
static bool has_objects(const struct trace *t)
{
	for (uint32_t i = 0; i < t->n_inputs; i++)
		if (input_is_object(trace_input_type(t, i)))
			return true;
	return false;
}

static int compare_traced(struct compare *c, const struct observed *native, struct err *err)
{
	struct observed traced = {0};
	struct run_result run;
	const struct trace *trace;
	struct buf why = {0};
	unsigned ms = limit_traced(c);
	c->traced->written = &traced.written;
	int r = c->run(c->opaque, c, ms, &run, &trace, err);
	c->traced->written = NULL;
	if (r == 0)
		take(c->traced, &run, &traced);
	if (r == 0 && observed_is_cut(&traced)) {
		c->outcome = outcome_of_end(&run, OUTCOME_NONE);
	} else if (r == 0 && !has_objects(trace) && !observed_same(native, &traced, NULL, &why)) {
		buf_release(&why);
		r = compare_again(c, ms, native, &why, err);
		if (r == 0 && why.len) {
			c->outcome = OUTCOME_DIFFERS;
			c->differs = mem_strdup(why.data);
		}
	}
	buf_release(&why);
	observed_release(&traced);
	return r;
}

int compare(struct compare *c, struct err *err)
{
	struct observed native = {0};
	struct buf why = {0};
	bool recorded = c->native->snapshot;
	int r = 0;
	if (observe(c->native, c->input, c->native_ms, &native, err) < 0) { // this test, not all of them
		c->outcome = OUTCOME_NOT_REPRODUCED;
		c->differs = recorded ? mem_strdup(err->text) : NULL;
	} else if (recorded && !executor_matches_snapshot(c->native, &native.run, &why)) {
		c->outcome = outcome_of_end(&native.run, OUTCOME_NOT_REPRODUCED);
		c->differs = mem_strdup(why.data ? why.data : "it ran otherwise");
	} else if (!observed_is_cut(&native)) {
		c->native_us = native.run.wall_us;
		r = compare_traced(c, &native, err);
	}
	buf_release(&why);
	observed_release(&native);
	return r;
}
