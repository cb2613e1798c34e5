#include "execute/observation.h"

#include <assert.h>
#include <string.h>

#include "base/file.h"

void observation_release(struct observation *o)
{
	buf_release(&o->output);
	written_release(&o->written);
}

void observation_take(struct observation *ret, const struct executor *e, const struct run_result *run)
{
	struct err err;
	ret->run = *run;
	ret->known = OUTPUT_BYTES;
	buf_release(&ret->output);
	file_read(e->output, &ret->output, &err);
}

int observe(struct executor *e, const struct input *in, unsigned milliseconds, struct observation *ret, struct err *err)
{
	struct run_result run;
	e->written = &ret->written;
	int r = executor_run(e, in, milliseconds, &run, err);
	e->written = NULL;
	if (r == 0)
		observation_take(ret, e, &run);
	return r;
}

struct observation observation_recorded(const struct snapshot *s)
{
	return (struct observation){
		.run = run_ended(s->status),
		.known = s->output_known ? OUTPUT_DIGEST : OUTPUT_NONE,
		.size = s->output_size,
		.hash = s->output,
		.words = "recorded was",
	};
}

bool observation_is_cut(const struct observation *o)
{
	return o->run.end != RUN_EXITED && o->run.end != RUN_SIGNAL;
}

// --- what differs ---------------------------------------------------------------------------------

bool observation_same_end(const struct observation *a, const struct observation *b)
{
	return a->run.end == b->run.end && a->run.code == b->run.code;
}

static uint64_t size_of(const struct observation *o)
{
	return o->known == OUTPUT_BYTES ? o->output.len : o->size;
}

static struct hash hash_of(const struct observation *o)
{
	return o->known == OUTPUT_BYTES ? hash_bytes(o->output.data, o->output.len) : o->hash;
}

bool observation_same_output(const struct observation *a, const struct observation *b)
{
	if (a->known == OUTPUT_NONE || b->known == OUTPUT_NONE)
		return true;
	if (size_of(a) != size_of(b))
		return false;
	if (a->known == OUTPUT_BYTES && b->known == OUTPUT_BYTES)
		return !a->output.len || memcmp(a->output.data, b->output.data, a->output.len) == 0;
	struct hash x = hash_of(a), y = hash_of(b);
	return x.low == y.low && x.high == y.high;
}

void observation_end_text(const struct run_result *run, struct buf *out)
{
	switch (run->end) {
	case RUN_EXITED: buf_printf(out, "exit status %d", run->code); return;
	case RUN_SIGNAL: buf_printf(out, "signal %d", run->code); return;
	case RUN_TIMEOUT: buf_addstr(out, "it did not end"); return;
	case RUN_MEMORY: buf_addstr(out, "it took too much memory"); return;
	case RUN_OUTPUT: buf_addstr(out, "it wrote too much"); return;
	case RUN_ENDS: break;
	}
	assert(!"an end of a run");
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

static void say_output(struct buf *out, const struct buf *expected, const struct buf *got)
{
	size_t at = 0;
	while (at < expected->len && at < got->len && expected->data[at] == got->data[at])
		at++;
	buf_printf(out, "output at byte %zu: expected ", at);
	quote(out, expected, at);
	buf_addstr(out, ", got ");
	quote(out, got, at);
}

void observation_quote_difference(const struct observation *a, const struct observation *b, struct buf *ret_a,
                                  struct buf *ret_b)
{
	size_t at = 0;
	while (at < a->output.len && at < b->output.len && a->output.data[at] == b->output.data[at])
		at++;
	while (at && a->output.data[at - 1] != '\n')
		at--;
	quote(ret_a, &a->output, at);
	quote(ret_b, &b->output, at);
}

// The bytes of one of the two are not known.
static void say_digest(struct buf *out, const struct observation *expected, const struct observation *got)
{
	unsigned long long is = size_of(got), was = size_of(expected);
	if (is != was)
		buf_printf(out, "%llu bytes of output, recorded were %llu", is, was);
	else
		buf_printf(out, "another output of the same size (%llu bytes)", is);
}

bool observation_same(const struct observation *expected, const struct observation *got,
                      const struct observation *again, struct buf *ret_why)
{
	if (!observation_same_end(expected, got) && (!again || observation_same_end(expected, again))) {
		observation_end_text(&got->run, ret_why);
		buf_printf(ret_why, ", %s ", expected->words ? expected->words : "expected was");
		observation_end_text(&expected->run, ret_why);
		return false;
	}
	if (!observation_same_output(expected, got) && (!again || observation_same_output(expected, again))) {
		if (expected->known == OUTPUT_BYTES && got->known == OUTPUT_BYTES)
			say_output(ret_why, &expected->output, &got->output);
		else
			say_digest(ret_why, expected, got);
		return false;
	}
	return written_same(&expected->written, &got->written, again ? &again->written : NULL, ret_why);
}

// --- as it was recorded? ------------------------------------------------------------------------------

// A difference may come of a value that is not stored.
static void say_masked(const struct snapshot *s, struct buf *out)
{
	for (size_t i = 0; i < s->n_variables; i++)
		if ((snapshot_mark(s, i) & VARIABLE_MASKED) && (s->whole || (snapshot_mark(s, i) & VARIABLE_READ))) {
			buf_printf(out, " (the value of %.*s is not stored)", (int)strcspn(s->variables[i], "="),
			           s->variables[i]);
			return;
		}
}

bool observation_as_recorded(const struct observation *native, const struct snapshot *s, struct buf *ret_why)
{
	const struct observation recorded = observation_recorded(s);
	bool same = observation_same(&recorded, native, NULL, ret_why);
	if (!same)
		say_masked(s, ret_why);
	return same;
}
