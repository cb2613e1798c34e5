#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "infer/show_internal.h"

double show_time(const struct show *s, uint64_t sample)
{
	return s->r->rate > 0 ? (double)sample * 1e6 / s->r->rate : (double)sample;
}

const char *show_function(const struct show *s, uint32_t segment)
{
	return s->m->functions[s->m->markers[s->m->segments[segment].marker].function].name;
}

void show_quoted(struct buf *out, const char *text)
{
	buf_addch(out, '"');
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		if (c == '"' || c == '\\')
			buf_printf(out, "\\%c", c);
		else if (c < 32 || c == '<' || c >= 127) // bytes of names may be anything
			buf_printf(out, "\\u%04x", c);
		else
			buf_addch(out, (char)c);
	}
	buf_addch(out, '"');
}

// --- who runs ----------------------------------------------------------------------------------

static uint32_t function_of(const struct show *s, uint32_t segment)
{
	return s->m->markers[s->m->segments[segment].marker].function;
}

// Makes the functions that run those of the segment. Calls add one, returns take one away; after what is not in the
// model, or a jump, those that do not fit end.
static void follow(struct show *s, const struct path_segment *p,
                   void (*change)(struct show *, uint32_t, bool, uint64_t, struct buf *), struct buf *out)
{
	const struct model_segment *last = s->last == MODEL_NONE ? NULL : &s->m->segments[s->last];
	uint32_t f = p->segment == MODEL_NONE ? MODEL_NONE : function_of(s, p->segment);
	bool called = last && last->how == MODEL_CALLS && p->segment != MODEL_NONE &&
	              s->m->functions[f].entry == s->m->segments[p->segment].marker;
	size_t depth = s->functions.n;
	if (!called) {
		while (depth && s->functions.v[depth - 1] != f)
			depth--;
		while (s->functions.n > depth) {
			uint32_t ended = vec_pop(&s->functions);
			if (change)
				change(s, ended, false, s->ended, out);
		}
	}
	if (f != MODEL_NONE && (called || !depth)) {
		vec_push(&s->functions, f);
		if (change)
			change(s, f, true, p->begin, out);
	}
	s->last = p->segment;
	s->ended = p->end;
}

// --- text --------------------------------------------------------------------------------------

static void nothing(struct show *s, struct buf *out)
{
}

static void text_segment(struct show *s, const struct path_segment *p, struct buf *out)
{
	const char *unit = s->r->rate > 0 ? "us" : "";
	buf_printf(out, "%12.3f %s  ", show_time(s, p->begin), unit);
	if (p->segment == MODEL_NONE) {
		buf_printf(out, "not in the model, for %.3f %s\n", show_time(s, p->end - p->begin), unit);
		return;
	}
	const struct model_segment *g = &s->m->segments[p->segment];
	buf_printf(out, "%3.0f%%%s %s  %s\n", 100.0 * p->confidence, p->confidence * 100 < SHOW_SURE ? " ?" : "  ",
	           show_function(s, p->segment), *g->lines ? g->lines : g->name);
}

// --- JSON --------------------------------------------------------------------------------------

static void json_begin(struct show *s, struct buf *out)
{
	buf_printf(out, "{\"rate\": %.17g, \"segments\": [", s->r->rate);
}

static void json_segment(struct show *s, const struct path_segment *p, struct buf *out)
{
	buf_printf(out, "%s\n{\"begin\": %" PRIu64 ", \"end\": %" PRIu64, s->n ? "," : "", p->begin, p->end);
	if (p->segment == MODEL_NONE) {
		buf_addstr(out, ", \"unknown\": true}");
		return;
	}
	const struct model_segment *g = &s->m->segments[p->segment];
	buf_addstr(out, ", \"function\": ");
	show_quoted(out, show_function(s, p->segment));
	buf_addstr(out, ", \"segment\": ");
	show_quoted(out, g->name);
	buf_addstr(out, ", \"lines\": ");
	show_quoted(out, g->lines);
	buf_printf(out, ", \"confidence\": %.4f}", p->confidence);
}

static void json_end(struct show *s, struct buf *out)
{
	buf_addstr(out, "\n]}\n");
}

// --- Perfetto, chrome://tracing ----------------------------------------------------------------

static void trace_begin(struct show *s, struct buf *out)
{
	buf_addstr(out, "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n"
	                "{\"ph\": \"M\", \"pid\": 1, \"name\": \"process_name\", \"args\": {\"name\": \"device\"}}");
}

static void trace_change(struct show *s, uint32_t function, bool begins, uint64_t at, struct buf *out)
{
	buf_printf(out, ",\n{\"ph\": \"%c\", \"pid\": 1, \"tid\": 1, \"ts\": %.4f, \"name\": ", begins ? 'B' : 'E',
	           show_time(s, at));
	show_quoted(out, s->m->functions[function].name);
	buf_addch(out, '}');
}

static void trace_segment(struct show *s, const struct path_segment *p, struct buf *out)
{
	follow(s, p, trace_change, out);
	buf_printf(out, ",\n{\"ph\": \"X\", \"pid\": 1, \"tid\": 2, \"ts\": %.4f, \"dur\": %.4f, \"name\": ",
	           show_time(s, p->begin), show_time(s, p->end - p->begin));
	if (p->segment == MODEL_NONE) {
		buf_addstr(out, "\"not in the model\"}");
		return;
	}
	show_quoted(out, s->m->segments[p->segment].name);
	buf_addstr(out, ", \"args\": {\"lines\": ");
	show_quoted(out, s->m->segments[p->segment].lines);
	buf_printf(out, ", \"confidence\": %.4f}}", p->confidence);
}

static void trace_end(struct show *s, struct buf *out)
{
	while (s->functions.n)
		trace_change(s, vec_pop(&s->functions), false, s->ended, out);
	buf_addstr(out, "\n]}\n");
}

// --- the page ----------------------------------------------------------------------------------

static void page_segment(struct show *s, const struct path_segment *p, struct buf *out)
{
	follow(s, p, NULL, NULL);
	if (s->items.n < SHOW_PAGE)
		vec_push(&s->items, (struct show_item){*p, s->functions.n ? (uint32_t)s->functions.n - 1 : 0});
}

// -----------------------------------------------------------------------------------------------

static const struct {
	const char *name;
	void (*begin)(struct show *s, struct buf *out);
	void (*segment)(struct show *s, const struct path_segment *p, struct buf *out);
	void (*end)(struct show *s, struct buf *out);
} formats[] = {{"text", nothing, text_segment, nothing},
               {"json", json_begin, json_segment, json_end},
               {"trace", trace_begin, trace_segment, trace_end},
               {"html", nothing, page_segment, show_page_end}};

bool show_is_format(const char *format)
{
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (strcmp(formats[i].name, format) == 0)
			return true;
	return false;
}

struct show *show_new(const char *format, const struct model *m, struct recording *r, struct err *err)
{
	struct show *s = mem_zero(sizeof *s);
	s->m = m;
	s->r = r;
	s->last = MODEL_NONE;
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (strcmp(formats[i].name, format) == 0) {
			s->begin = formats[i].begin;
			s->segment = formats[i].segment;
			s->end = formats[i].end;
			return s;
		}
	mem_free(s);
	err_set(err, "there is no format '%s'", format);
	return NULL;
}

void show_free(struct show *s)
{
	vec_release(&s->functions);
	vec_release(&s->items);
	mem_free(s);
}

void show_begin(struct show *s, struct buf *out)
{
	s->begin(s, out);
}

void show_segment(struct show *s, const struct path_segment *p, struct buf *out)
{
	s->segment(s, p, out);
	s->n++;
}

void show_end(struct show *s, struct buf *out)
{
	s->end(s, out);
}
