#include "worker/reachable.h"

#include <assert.h>

#include "abi/cover.h"
#include "abi/graph.h"
#include "coverage/segments.h"

// The run's first segment, and how far decisions have come on it.
struct pass {
	const struct segments *all;
	uint64_t unit;
	uint32_t number, next, stack; // next: the next place where paths part
	struct segment_range here;    // segments that went the same way up to now
};

static const struct trace_event *find_marker(const struct trace *t)
{
	for (uint32_t i = 0; i < t->n_events; i++)
		if (t->events[i].kind == EVENT_MARKER)
			return &t->events[i];
	return NULL;
}

// False: it is not known.
static bool start(struct pass *w, const struct cover *c, uint64_t unit, const struct trace *t)
{
	const struct trace_event *e = find_marker(t);
	struct cover_segment s;
	struct segment_choice first;
	if (!e || !e->stack || e->value < sizeof(struct cover_segments) || e->value > UINT32_MAX)
		return false;
	uint32_t at = cover_segment_at(c, unit, (uint32_t)(e->value - sizeof(struct cover_segments)));
	if (at == UINT32_MAX || !cover_get_segment(c, at, &s))
		return false;
	*w = (struct pass){s.all, unit, s.number, 0, e->stack, {s.number, s.number + 1}};
	if (segments_choice(w->all, w->number, 0, &first))
		w->here = first.all;
	return true;
}

// The function's own branches come in the order in which they stand on the segment; other decisions are of callees.
static struct decision_segments step(struct pass *w, const struct trace_event *e, uint64_t point)
{
	struct segment_choice c;
	for (uint32_t k = w->next; point && e->stack == w->stack && segments_choice(w->all, w->number, k, &c); k++) {
		if (!c.point || graph_name(w->unit, c.point - 1) != point)
			continue;
		w->next = k + 1;
		w->here = c.taken;
		return (struct decision_segments){c.all.first, c.all.end, c.taken.first, c.taken.end};
	}
	return (struct decision_segments){.first = w->here.first, .end = w->here.end};
}

void reachable_find(const struct cover *c, uint64_t unit, const struct trace *t, struct decisions *d)
{
	struct pass w;
	bool known = start(&w, c, unit, t);
	for (uint32_t i = 0; i < d->n; i++) {
		struct decision *v = &d->v[i];
		assert(v->event < t->n_events);
		v->reachable = known && !v->past ? step(&w, &t->events[v->event], v->point)
		                                 : (struct decision_segments){.end = UINT32_MAX};
	}
}
