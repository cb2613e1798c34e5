#include <assert.h>

#include "infer/decode_internal.h"

MAP_FUNCTIONS(stack_map, struct stack_map, uint64_t, .key, .number, map_hash_number, map_same_number)

uint32_t decode_traces_add(struct traces *t, const struct trace *trace)
{
	uint32_t number = t->free;
	if (!t->v.n)
		vec_push(&t->v, (struct trace){0});
	if (number)
		t->free = t->v.v[number].parent;
	else
		number = (uint32_t)t->v.n, (void)vec_add(&t->v);
	t->v.v[number] = *trace;
	t->v.v[number].users = 1;
	if (trace->parent)
		decode_traces_use(t, trace->parent);
	return number;
}

void decode_traces_drop(struct traces *t, uint32_t number)
{
	while (number) {
		struct trace *x = &t->v.v[number];
		uint32_t parent = x->parent;
		assert(x->users);
		if (--x->users)
			return;
		x->parent = t->free;
		t->free = number;
		number = parent;
	}
}

uint32_t stacks_push(struct stacks *s, uint32_t below, uint32_t marker)
{
	if (!s->v.n)
		vec_push(&s->v, (struct stack){0});
	if (s->v.n == STACKS_MAX)
		return 0; // a recursion without end: what is below is not known any more
	struct stack_entry *e = stack_map_put(&s->map, ((uint64_t)below << 32 | marker) + 1);
	if (!e->number) {
		e->number = (uint32_t)s->v.n;
		vec_push(&s->v, (struct stack){below, marker});
	}
	return e->number;
}

void stacks_release(struct stacks *s)
{
	vec_release(&s->v);
	stack_map_release(&s->map);
}
