#include "path/path.h"

#include <assert.h>

#include "base/mem.h"
#include "expr/tape.h"

static void add(struct path *p, uint32_t condition)
{
	assert(p->original.n == p->rewritten.n && expr_width(p->import.pool, condition) == 1);
	uint32_t rewritten = known_rewrite(&p->known, condition);
	if (expr_is_const(p->import.pool, rewritten))
		return; // follows from the others
	slice_add(&p->slice, rewritten, p->original.n);
	condition_list_add(&p->original, condition);
	condition_list_add(&p->rewritten, rewritten);
	known_learn(&p->known, rewritten);
}

static void begin(struct path *p)
{
	slice_clear(&p->slice);
	known_clear(&p->known);
	p->original.n = p->rewritten.n = 0;
	p->next = 0;
	for (uint32_t i = 0; i < p->import.n_always; i++)
		add(p, p->import.always[i]);
}

void path_init(struct path *p, struct expr_pool *pool, const struct trace *t)
{
	*p = (struct path){0};
	slice_init(&p->slice, pool);
	known_init(&p->known, pool);
	path_enter(p, t);
}

void path_enter(struct path *p, const struct trace *t)
{
	import_init(&p->import, p->slice.pool, t);
	begin(p);
}

void path_leave(struct path *p)
{
	import_release(&p->import);
}

void path_release(struct path *p)
{
	import_release(&p->import);
	slice_release(&p->slice);
	known_release(&p->known);
	condition_list_release(&p->original);
	condition_list_release(&p->rewritten);
	condition_list_release(&p->related);
	condition_list_release(&p->conditions);
	condition_list_release(&p->originals);
	*p = (struct path){0};
}

void path_always(struct path *p, uint32_t condition)
{
	assert(expr_width(p->import.pool, condition) == 1);
	struct import *im = &p->import;
	im->always = mem_resize(im->always, (im->n_always + 1) * sizeof *im->always);
	im->always[im->n_always++] = condition;
	begin(p);
}

bool path_can_negate(const struct path *p, uint32_t event)
{
	assert(event < p->import.trace->n_events);
	const struct trace_event *e = &p->import.trace->events[event];
	if (e->kind == EVENT_WITHIN || e->kind == EVENT_BEYOND)
		return e->cell.size;
	return e->label && (trace_is_condition(e) || e->kind == EVENT_CHECK) && !(e->kind == EVENT_ASSUME && e->value);
}

// A check that does not hold goes on in a traced run: it is no condition of what comes after.
static uint32_t condition(struct path *p, uint32_t event)
{
	return trace_is_condition(&p->import.trace->events[event]) ? import_condition(&p->import, event) : 0;
}

struct query path_negate(struct path *p, uint32_t event)
{
	return path_query(p, event, expr_not(p->import.pool, import_condition(&p->import, event)));
}

struct query path_query(struct path *p, uint32_t event, uint32_t condition_there)
{
	assert(event <= p->import.trace->n_events && expr_width(p->import.pool, condition_there) == 1);
	if (event < p->next)
		begin(p);
	for (; p->next < event; p->next++) {
		uint32_t c = condition(p, p->next);
		if (c)
			add(p, c);
	}
	uint32_t rewritten = known_rewrite(&p->known, condition_there);
	p->conditions.n = p->originals.n = 0;
	slice_related(&p->slice, rewritten, &p->related);
	for (uint32_t i = 0; i < p->related.n; i++) {
		condition_list_add(&p->conditions, p->rewritten.ids[p->related.ids[i]]);
		condition_list_add(&p->originals, p->original.ids[p->related.ids[i]]);
	}
	condition_list_add(&p->conditions, rewritten);
	condition_list_add(&p->originals, condition_there);
	import_cover(&p->import);
	assert(p->next >= event && p->conditions.n == p->originals.n);
	return (struct query){.conditions = p->conditions.ids,
	                      .n = p->conditions.n,
	                      .seed = p->import.seed,
	                      .originals = p->originals.ids,
	                      .n_originals = p->originals.n};
}

struct query path_whole(struct path *p, uint32_t event, bool negate)
{
	struct condition_list *list = &p->conditions;
	list->n = 0;
	for (uint32_t i = 0; i < p->import.n_always; i++)
		condition_list_add(list, p->import.always[i]);
	for (uint32_t i = 0; i < event && i < p->import.trace->n_events; i++) {
		uint32_t c = condition(p, i);
		if (c)
			condition_list_add(list, c);
	}
	uint32_t last = event < p->import.trace->n_events ? import_condition(&p->import, event) : 0;
	if (last)
		condition_list_add(list, negate ? expr_not(p->import.pool, last) : last);
	import_cover(&p->import);
	return (struct query){.conditions = list->ids, .n = list->n, .seed = p->import.seed};
}

// What an event gave to a call, as an expression; 0: it is no such event.
static uint32_t passed(const struct path *p, uint32_t event)
{
	const struct trace_event *e = &p->import.trace->events[event];
	return e->kind == EVENT_PASSED && e->label ? p->import.exprs[e->label] : 0;
}

// The pointers of argv end with NULL, which has no label.
static void keep_counts(struct path *p, const uint8_t *bytes)
{
	struct expr_pool *pool = p->import.pool;
	for (uint32_t v = 0; v < pool->n_vars; v++)
		if (pool->sources[pool->vars[v].source].type.role == INPUT_COUNT)
			condition_list_add(&p->conditions, expr_eq(pool, pool->vars[v].expr, bytes[v]));
}

struct query path_kept(struct path *p, uint32_t event, bool negate, const uint8_t *bytes)
{
	struct query q = path_whole(p, event, negate);
	struct tape tape;
	tape_init(&tape, p->import.pool);
	for (uint32_t i = 0; i < event && i < p->import.trace->n_events; i++)
		if (passed(p, i))
			tape_add(&tape, passed(p, i));
	tape_load(&tape, bytes);
	tape_run(&tape);
	for (uint32_t i = 0; i < event && i < p->import.trace->n_events; i++) {
		uint32_t x = passed(p, i);
		if (x)
			condition_list_add(&p->conditions,
			                   expr_eq(p->import.pool, x, tape.values[tape.step_of[x] - 1]));
	}
	tape_release(&tape);
	keep_counts(p, bytes);
	q.conditions = p->conditions.ids;
	q.n = p->conditions.n;
	return q;
}

bool path_gives_more(const struct path *p, uint32_t event)
{
	const struct trace *t = p->import.trace;
	uint32_t i = 0;
	while (i < event && i < t->n_events && !(t->events[i].kind == EVENT_PASSED && !t->events[i].label))
		i++;
	return i < event && i < t->n_events;
}
