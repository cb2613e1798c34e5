#include "explore/path.h"

#include "base/mem.h"

static void begin(struct path *p)
{
	slice_clear(&p->slice);
	p->next = 0;
	for (uint32_t i = 0; i < p->import.n_always; i++)
		slice_add(&p->slice, p->import.always[i]);
}

void path_init(struct path *p, struct expr_pool *pool, const struct trace *t)
{
	*p = (struct path){0};
	import_init(&p->import, pool, t);
	slice_init(&p->slice, pool);
	begin(p);
}

void path_release(struct path *p)
{
	import_release(&p->import);
	slice_release(&p->slice);
	condition_list_release(&p->list);
	*p = (struct path){0};
}

bool path_can_negate(const struct path *p, uint32_t event)
{
	const struct trace_event *e = &p->import.trace->events[event];
	return e->label && (trace_is_condition(e) || e->kind == EVENT_CHECK) && !(e->kind == EVENT_ASSUME && e->value);
}

// A check that does not hold goes on in a traced run: it is no condition of what comes after.
static uint32_t condition(struct path *p, uint32_t event)
{
	return trace_is_condition(&p->import.trace->events[event]) ? import_condition(&p->import, event) : 0;
}

static struct query finish(struct path *p)
{
	import_cover(&p->import);
	return (struct query){.conditions = p->list.ids, .n = p->list.n, .seed = p->import.seed};
}

struct query path_negate(struct path *p, uint32_t event)
{
	if (event < p->next)
		begin(p);
	for (; p->next < event; p->next++) {
		uint32_t c = condition(p, p->next);
		if (c)
			slice_add(&p->slice, c);
	}
	uint32_t negated = expr_not(p->import.pool, import_condition(&p->import, event));
	p->list.n = 0;
	slice_related(&p->slice, negated, &p->list);
	condition_list_add(&p->list, negated);
	return finish(p);
}

struct query path_whole(struct path *p, uint32_t event, bool negate)
{
	p->list.n = 0;
	for (uint32_t i = 0; i < p->import.n_always; i++)
		condition_list_add(&p->list, p->import.always[i]);
	for (uint32_t i = 0; i < event; i++) {
		uint32_t c = condition(p, i);
		if (c)
			condition_list_add(&p->list, c);
	}
	uint32_t last = event < p->import.trace->n_events ? import_condition(&p->import, event) : 0;
	if (last)
		condition_list_add(&p->list, negate ? expr_not(p->import.pool, last) : last);
	return finish(p);
}
