#include "session/covered.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "coverage/cover.h"
#include "explore/remaining.h"
#include "possible/possible.h"
#include "session/settings.h"

struct tried { // all fragments of a function together
	uint32_t fragments, explored, exhausted;
	struct fragment_outcome outcome;
};

struct covered {
	const struct fragment_plan *plan;
	struct cover *cover;
	struct tried *tried;             // per function of the plan
	struct covered_function *counts; // likewise; only its numbers
	struct store *store;             // while they are counted
	struct possible_errors *errors;  // likewise
};

struct covered *covered_new(const struct fragment_plan *plan, struct cover *cover)
{
	struct covered *c = mem_zero(sizeof *c);
	c->plan = plan;
	c->cover = cover;
	c->tried = mem_zero((plan->functions.n + 1) * sizeof *c->tried);
	c->counts = mem_zero((plan->functions.n + 1) * sizeof *c->counts);
	return c;
}

void covered_free(struct covered *c)
{
	if (!c)
		return;
	mem_free(c->tried);
	mem_free(c->counts);
	mem_free(c);
}

void covered_add(struct covered *c, const struct plan_fragment *f, const struct fragment_outcome *o)
{
	assert(f->function < c->plan->functions.n || f->phase == PHASE_INP);
	if (f->phase == PHASE_INP)
		return; // of all functions
	struct tried *t = &c->tried[f->function];
	t->fragments++;
	t->explored += f->rounds > 0 || f->exhausted;
	t->exhausted += f->exhausted;
	t->outcome.runs += o->runs;
	t->outcome.inputs += o->inputs;
	t->outcome.cut += o->cut;
	t->outcome.unknown += o->unknown;
	t->outcome.unmodelled += o->unmodelled;
}

// --- reasons -------------------------------------------------------------------------------------

static void add_reason(struct buf *out, uint64_t n, const char *words)
{
	if (n)
		buf_printf(out, "%s%llu %s", out->len ? ", " : "", (unsigned long long)n, words);
}

// Why some of the function is not covered.
static void reason_of(const struct covered *c, uint32_t function, struct buf *out)
{
	const struct shape_function *shape = fragment_plan_shape(c->plan, function);
	const struct tried *t = &c->tried[function];
	if (shape->flags & SHAPE_NEVER) {
		buf_printf(out, "cannot be entered: %s",
		           shape_text(&c->plan->shapes->units[c->plan->functions.v[function].unit], shape->reason));
		return;
	}
	if (!t->explored) {
		buf_printf(out,
		           t->fragments ? "not tried: the budget ended before" : "not tried: no phase begins there");
		return;
	}
	if (t->outcome.runs && !c->counts[function].lines_covered) {
		buf_printf(out, "could not be entered: %llu runs ended before it began",
		           (unsigned long long)t->outcome.runs);
		return;
	}
	uint32_t left =
		c->counts[function].segments - c->counts[function].segments_covered - c->counts[function].out_of_reach;
	add_reason(out, c->counts[function].out_of_reach, "out of reach of all state that veer makes up");
	if (!left)
		return;
	if (t->exhausted < t->fragments) {
		buf_printf(out, "%sthe budget ended: %u of %u fragments have candidates left", out->len ? ", " : "",
		           t->fragments - t->exhausted, t->fragments);
		return;
	}
	add_reason(out, t->outcome.unknown, "queries that the solver did not decide");
	add_reason(out, t->outcome.cut, "runs cut by a limit");
	add_reason(out, t->outcome.unmodelled, "runs through functions without a model");
	if (!out->len)
		buf_printf(out, "no path leads there, of objects that veer makes up");
}

// --- the store -----------------------------------------------------------------------------------

static void take_counts(void *opaque, const char *file, const char *name, uint32_t line, struct cover_totals t)
{
	(void)line;
	const struct covered *c = opaque;
	uint32_t f = fragment_plan_function((void *)c->plan, file, name);
	if (f == UINT32_MAX)
		return;
	c->counts[f].lines = t.lines.total;
	c->counts[f].lines_covered = t.lines.covered;
	c->counts[f].segments = t.segments.total;
	c->counts[f].segments_covered = t.segments.covered;
}

static void count_segment(void *opaque, const struct cover_segment *s)
{
	const struct covered *c = opaque;
	uint32_t f = fragment_plan_function((void *)c->plan, s->file, s->function);
	unsigned state = f == UINT32_MAX ? REMAINING_LEFT : remaining_stored(c->store, s);
	if (state < PHASES)
		c->counts[f].by[state]++;
	else if (state == REMAINING_SETTLED && !s->covered)
		c->counts[f].out_of_reach++;
}

static int count_possible(void *opaque, const struct stored_finding *found)
{
	const struct covered *c = opaque;
	struct possible p;
	if (found->level != LEVEL_POSSIBLE || possible_promoted(c->errors, found))
		return 0;
	possible_read(c->store, found->key, &p);
	uint32_t f = possible_suppressed(&p) == FILTER_NONE
	                     ? fragment_plan_function((void *)c->plan, found->file, found->function)
	                     : UINT32_MAX;
	if (f != UINT32_MAX)
		c->counts[f].possible++;
	possible_release(&p);
	return 0;
}

static void add_word(struct buf *out, const char *word)
{
	for (; *word; word++)
		buf_addch(out, (unsigned char)*word < ' ' ? '?' : *word);
	buf_addch(out, '\t');
}

static void add_function(const struct covered *c, uint32_t function, struct buf *out)
{
	const struct covered_function *n = &c->counts[function];
	struct buf reason = {0};
	if (n->segments_covered < n->segments)
		reason_of(c, function, &reason);
	add_word(out, fragment_plan_name(c->plan, function));
	add_word(out, fragment_plan_symbol(c->plan, function));
	add_word(out, fragment_plan_file(c->plan, function));
	add_word(out, reason.len ? reason.data : "");
	buf_printf(out, "%u\t%u\t%u\t%u\t%llu\t%u", n->lines, n->lines_covered, n->segments, n->segments_covered,
	           (unsigned long long)c->tried[function].outcome.inputs, n->possible);
	for (unsigned i = 0; i < PHASES; i++)
		buf_printf(out, "\t%u", n->by[i]);
	buf_printf(out, "\t%u\n", n->out_of_reach);
	buf_release(&reason);
}

int covered_store(struct covered *c, struct store *store, struct err *err)
{
	struct buf text = {0};
	int64_t segments = 0;
	memset(c->counts, 0, c->plan->functions.n * sizeof *c->counts);
	cover_each_function(c->cover, take_counts, c);
	c->store = store;
	cover_each_segment(c->cover, count_segment, c);
	c->errors = possible_errors_read(store, err);
	int r = c->errors ? store_each_finding(store, count_possible, c, err) : -1;
	possible_errors_free(c->errors);
	c->errors = NULL;
	for (uint32_t i = 0; i < c->plan->functions.n; i++)
		if (c->plan->progress[i].wanted && c->counts[i].segments) {
			segments += c->counts[i].segments;
			add_function(c, i, &text);
		}
	if (r == 0)
		r = setting_set(store, SETTING_functions, buf_str(&text), text.len, err);
	if (r == 0)
		r = setting_set_number(store, SETTING_segments, segments, err);
	buf_release(&text);
	return r;
}

// Cuts the next word off; NULL: there is none.
static char *next_word(char **at, char end)
{
	char *word = *at, *behind = strchr(word, end);
	if (!behind)
		return NULL;
	*behind = 0;
	*at = behind + 1;
	return word;
}

static bool next_number(char **at, char end, uint32_t *ret)
{
	char *word = next_word(at, end), *rest = NULL;
	*ret = word ? (uint32_t)strtoul(word, &rest, 10) : 0;
	return word && *word && !*rest;
}

static bool next_phases(char **at, struct covered_function *f)
{
	bool fine = true;
	for (unsigned i = 0; i < PHASES; i++)
		fine = fine && next_number(at, '\t', &f->by[i]);
	return fine && next_number(at, '\n', &f->out_of_reach);
}

void covered_each(struct store *store, void (*each)(void *opaque, const struct covered_function *f), void *opaque)
{
	struct buf text = {0};
	if (!setting_get(store, SETTING_functions, &text)) {
		buf_release(&text);
		return;
	}
	for (char *at = text.data, *line; (line = next_word(&at, '\n'));) {
		struct covered_function f = {0};
		char *end = line + strlen(line);
		*end = '\n'; // which ends its last number
		if ((f.name = next_word(&line, '\t')) && (f.symbol = next_word(&line, '\t')) &&
		    (f.file = next_word(&line, '\t')) && (f.reason = next_word(&line, '\t')) &&
		    next_number(&line, '\t', &f.lines) && next_number(&line, '\t', &f.lines_covered) &&
		    next_number(&line, '\t', &f.segments) && next_number(&line, '\t', &f.segments_covered) &&
		    next_number(&line, '\t', &f.inputs) && next_number(&line, '\t', &f.possible) &&
		    next_phases(&line, &f))
			each(opaque, &f);
	}
	buf_release(&text);
}

// --- for people ----------------------------------------------------------------------------------

struct printing {
	struct buf *out;
	bool all;
	uint32_t whole;
};

static void print_function(void *opaque, const struct covered_function *f)
{
	struct printing *p = opaque;
	bool whole = f->segments_covered + f->out_of_reach == f->segments;
	p->whole += whole;
	if (whole && !p->all)
		return;
	utf8_line(p->out, "  %-32s %5u of %5u segments, %5u of %5u lines%s%s", f->name, f->segments_covered,
	          f->segments, f->lines_covered, f->lines, *f->reason ? ": " : "", f->reason);
}

void covered_print(struct store *store, bool all, struct buf *out)
{
	struct printing p = {out, all, 0};
	covered_each(store, print_function, &p);
	if (p.whole && !all)
		buf_printf(out, "  %u function%s covered whole (-v lists %s)\n", p.whole,
		           p.whole == 1 ? " is" : "s are", p.whole == 1 ? "it" : "them");
}
