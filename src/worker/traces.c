#include "worker/traces.h"

#include <assert.h>

#include "base/mem.h"

struct cached_trace {
	uint64_t number;
	struct trace trace;
	void *memory;
	size_t bytes;
	struct cached_trace *newer, *older;
	struct cached_trace *next; // of the same list
};

void traces_init(struct traces *t, size_t most)
{
	*t = (struct traces){.most = most};
}

static void unlink_trace(struct traces *t, struct cached_trace *k)
{
	*(k->newer ? &k->newer->older : &t->newest) = k->older;
	*(k->older ? &k->older->newer : &t->oldest) = k->newer;
}

static void link_newest(struct traces *t, struct cached_trace *k)
{
	k->newer = NULL;
	k->older = t->newest;
	*(t->newest ? &t->newest->newer : &t->oldest) = k;
	t->newest = k;
}

// Where the one with this number is listed, or would be.
static struct cached_trace **place_of(struct traces *t, uint64_t number)
{
	struct cached_trace **p = &t->lists[number % t->n_lists];
	while (*p && (*p)->number != number)
		p = &(*p)->next;
	return p;
}

static void drop(struct traces *t, struct cached_trace *k)
{
	assert(t->n && t->bytes >= k->bytes && *place_of(t, k->number) == k);
	*place_of(t, k->number) = k->next;
	unlink_trace(t, k);
	t->bytes -= k->bytes;
	t->n--;
	mem_free(k->memory);
	mem_free(k);
}

void traces_release(struct traces *t)
{
	while (t->newest)
		drop(t, t->newest);
	mem_free(t->lists);
	*t = (struct traces){0};
}

static void grow(struct traces *t)
{
	mem_free(t->lists);
	t->n_lists = t->n_lists ? 2 * t->n_lists : 1024;
	t->lists = mem_zero(t->n_lists * sizeof *t->lists);
	for (struct cached_trace *k = t->newest; k; k = k->older) {
		struct cached_trace **list = &t->lists[k->number % t->n_lists];
		k->next = *list;
		*list = k;
	}
}

void traces_add(struct traces *t, uint64_t number, const struct trace *trace)
{
	if (t->n >= t->n_lists)
		grow(t);
	if (*place_of(t, number))
		drop(t, *place_of(t, number));
	struct cached_trace *k = mem_zero(sizeof *k);
	k->number = number;
	k->memory = trace_copy(trace, &k->trace, &k->bytes);
	link_newest(t, k);
	k->next = t->lists[number % t->n_lists];
	t->lists[number % t->n_lists] = k;
	t->n++;
	t->bytes += k->bytes;
	while (t->bytes > t->most)
		drop(t, t->oldest);
	assert(!t->n == !t->newest && !t->newest == !t->oldest);
}

const struct trace *traces_find(struct traces *t, uint64_t number)
{
	struct cached_trace *k = t->n_lists ? *place_of(t, number) : NULL;
	if (!k)
		return NULL;
	unlink_trace(t, k);
	link_newest(t, k);
	return &k->trace;
}
