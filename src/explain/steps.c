// The path of a finding's run, as steps for reading: what follows from the steps before is left out, what is repeated
// is shown once.
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "explain/trace_pair.h"

enum { STEP_BYTES = 200, STEPS_FIRST = 20, STEPS_LAST = 20, STEPS_SAME_PATH = 8, PERIOD_MAX = 6 };

// Events of the path that tell something, those at one place in a row as one.
struct stretch {
	uint32_t event, times;    // the first of them, and how many
	uint32_t written, simple; // its condition, as it is and by what was known there
	uint32_t period, again;   // it and those before it, `period` together, come `again` times more
	struct byteset possible;  // what was known of its only variable
};

struct walking {
	struct trace_pair *s;
	struct stretch *v;
	size_t n, cap;
	size_t implied;
};

static bool is_step(const struct trace_event *e)
{
	return e->label && trace_is_condition(e) && e->kind != EVENT_CHECK;
}

static bool is_same(const struct trace *t, const struct stretch *a, const struct stretch *b)
{
	const struct trace_event *x = &t->events[a->event], *y = &t->events[b->event];
	return x->site == y->site && x->kind == y->kind &&
	       (x->kind == EVENT_CONCRETE || trace_value(x) == trace_value(y));
}

// Do the last `period` stretches do what those before them did?
static bool repeats(const struct walking *w, size_t period)
{
	const struct trace *t = w->s->now.trace;
	if (w->n < 2 * period || (w->v[w->n - period - 1].period && w->v[w->n - period - 1].period != period))
		return false;
	for (size_t i = 1; i <= period; i++) {
		const struct stretch *a = &w->v[w->n - i], *b = &w->v[w->n - i - period];
		if (!is_same(t, a, b) || a->period || (i > 1 && b->period))
			return false;
	}
	return true;
}

static void fold(struct walking *w)
{
	for (size_t period = 2; period <= PERIOD_MAX; period++)
		if (repeats(w, period)) {
			w->n -= period;
			w->v[w->n - 1].period = (uint32_t)period;
			w->v[w->n - 1].again++;
			return;
		}
}

static void add_stretch(struct walking *w, struct stretch new)
{
	struct stretch *last = w->n ? &w->v[w->n - 1] : NULL;
	if (last && !last->period && is_same(w->s->now.trace, last, &new)) {
		last->times++;
		return;
	}
	vec_push(w, new);
	fold(w);
}

// Takes the condition as known. False: it was known before.
static bool learn(struct walking *w, struct stretch *step)
{
	struct expr_pool *p = &w->s->pool;
	struct byteset set;
	step->simple = known_rewrite(&w->s->known, step->written);
	step->possible = byteset_all();
	if (expr_is_const(p, step->simple))
		return false;
	known_learn(&w->s->known, step->simple);
	if (!byteset_of(&set, w->s->words.scratch, step->simple))
		return true;
	struct byteset *possible = &w->s->possible[p->only[step->simple]];
	step->possible = *possible;
	*possible = byteset_and(*possible, set);
	return !byteset_same(possible, &step->possible);
}

static void walk(struct walking *w, uint32_t from, uint32_t end)
{
	struct import *im = &w->s->now;
	for (uint32_t i = 0; i < im->n_always; i++)
		learn(w, &(struct stretch){.written = im->always[i]});
	for (uint32_t i = 0; i < end; i++) {
		const struct trace_event *e = &im->trace->events[i];
		uint32_t condition = is_step(e) ? import_condition(im, i) : 0;
		struct stretch step = {.event = i, .times = 1, .written = condition};
		if (!condition)
			continue;
		bool new = learn(w, &step);
		if (i < from || !trace_site(im->trace, e->site))
			continue;
		if (new)
			add_stretch(w, step);
		else
			w->implied++;
	}
}

// --- steps ----------------------------------------------------------------------------------------

static struct explained_step *add_step(struct explanation *x, const struct trace_pair *s, const struct trace *t,
                                       uint32_t event, enum step_kind kind)
{
	const struct trace_site *site = trace_site(t, t->events[event].site);
	if (!site)
		return NULL;
	x->steps = mem_resize(x->steps, (x->n_steps + 1) * sizeof *x->steps);
	struct explained_step *step = &x->steps[x->n_steps++];
	*step = (struct explained_step){.kind = kind,
	                                .file = mem_strdup(trace_text(t, site->file)),
	                                .function = mem_strdup(trace_text(t, site->function)),
	                                .line = site->line,
	                                .column = site->column,
	                                .times = 1};
	step->name = trace_pair_file(s, step->file);
	return step;
}

static void show(struct explanation *x, struct trace_pair *s, const struct stretch *v)
{
	const struct trace *t = s->now.trace;
	const struct trace_event *e = &t->events[v->event];
	struct explained_step *step = add_step(x, s, t, v->event, STEP_WENT);
	if (!step)
		return;
	step->times = v->times;
	step->period = v->period;
	step->again = v->again;
	if (e->kind == EVENT_CONCRETE) {
		step->condition = trace_pair_decides(s, e);
		return;
	}
	uint32_t chosen;
	step->condition = trace_pair_condition(s, v->written, v->simple, &v->possible, STEP_BYTES, &chosen);
	step->now = phrase_now(&s->words, chosen);
}

void steps_take(struct explanation *x, struct trace_pair *s, struct blame blame, uint32_t from)
{
	struct walking w = {.s = s};
	walk(&w, x->diverges ? from : 0, blame.end);
	size_t first = x->diverges ? STEPS_FIRST : 0, last = x->diverges ? STEPS_LAST : STEPS_SAME_PATH;
	for (size_t i = 0; i < w.n; i++) {
		if (i >= first && i + last < w.n)
			x->steps_left_out++;
		else
			show(x, s, &w.v[i]);
	}
	x->steps_gap = x->n_steps > last ? x->n_steps - last : 0;
	x->steps_implied = w.implied;
	mem_free(w.v);
}

void steps_add_failure(struct explanation *x, const struct trace_pair *s, const struct import *of, uint32_t event)
{
	struct explained_step *step = add_step(x, s, of->trace, event, STEP_FAILS);
	if (step)
		step->condition = mem_strdup(x->verdict ? x->verdict : x->condition ? x->condition : "");
}
