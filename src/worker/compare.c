#include "worker/compare.h"

#include <string.h>

#include "base/mem.h"
#include "findings/where.h"

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

static void say_where(const struct executor *e, const struct observation *o, struct buf *out)
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
static int compare_again(struct compare *c, unsigned milliseconds, const struct observation *before,
                         struct buf *ret_why, struct err *err)
{
	struct observation again = {0}, other = {0};
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
	if (r == 0 && !observation_is_cut(&again) && !observation_is_cut(&other) &&
	    !observation_same(before, &other, &again, ret_why))
		say_where(c->traced, &other, ret_why);
	observation_release(&again);
	observation_release(&other);
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

static int compare_traced(struct compare *c, const struct observation *native, struct err *err)
{
	struct observation traced = {0};
	struct run_result run;
	const struct trace *trace;
	struct buf why = {0};
	unsigned ms = limit_traced(c);
	c->traced->written = &traced.written;
	int r = c->run(c->opaque, c, ms, &run, &trace, err);
	c->traced->written = NULL;
	if (r == 0)
		observation_take(&traced, c->traced, &run);
	if (r == 0 && observation_is_cut(&traced)) {
		c->outcome = outcome_of_end(&run, OUTCOME_NONE);
	} else if (r == 0 && !has_objects(trace) && !observation_same(native, &traced, NULL, &why)) {
		buf_release(&why);
		r = compare_again(c, ms, native, &why, err);
		if (r == 0 && why.len) {
			c->outcome = OUTCOME_DIFFERS;
			c->differs = mem_strdup(why.data);
		}
	}
	buf_release(&why);
	observation_release(&traced);
	return r;
}

int compare(struct compare *c, struct err *err)
{
	struct observation native = {.words = "natively"};
	struct buf why = {0};
	bool recorded = c->native->snapshot;
	int r = 0;
	if (observe(c->native, c->input, c->native_ms, &native, err) < 0) { // this test, not all of them
		c->outcome = OUTCOME_NOT_REPRODUCED;
		c->differs = recorded ? mem_strdup(err->text) : NULL;
	} else if (recorded && !observation_as_recorded(&native, c->native->snapshot, &why)) {
		c->outcome = outcome_of_end(&native.run, OUTCOME_NOT_REPRODUCED);
		c->differs = mem_strdup(why.data ? why.data : "it ran otherwise");
	} else if (!observation_is_cut(&native)) {
		c->native_us = native.run.wall_us;
		r = compare_traced(c, &native, err);
	}
	buf_release(&why);
	observation_release(&native);
	return r;
}
