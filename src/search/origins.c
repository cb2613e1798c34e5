#include "search/origins.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"

// There are millions of candidates; what is the same for all of a run is stored once.
struct deferred {
	struct alternative alternative;
	uint64_t place;
	uint32_t event, depth;
};

struct deferred_list {
	uint32_t n, max;
	uint32_t milliseconds;
	struct deferred v[];
};

struct origin_input {
	struct deferred_list *deferred; // NULL: none
	uint8_t who;                    // enum origin
	bool open;
};

void origins_release(struct origins *o)
{
	for (size_t i = 0; i < o->max; i++)
		mem_free(o->v[i].deferred);
	mem_free(o->v);
	*o = (struct origins){0};
}

static struct origin_input *entry(struct origins *o, int64_t input)
{
	assert(input > 0);
	size_t at = (size_t)input;
	if (at >= o->max) {
		size_t max = at + at / 2 + 1024;
		vec_cover(o->v, o->max, max);
		o->max = max;
	}
	return &o->v[at];
}

void origins_note(struct origins *o, int64_t input, enum origin who)
{
	struct origin_input *e = entry(o, input);
	if (e->who == ORIGIN_NOBODY)
		e->who = who;
}

enum origin origins_who(const struct origins *o, int64_t input)
{
	return (size_t)input < o->max ? o->v[input].who : ORIGIN_NOBODY;
}

bool origins_defer(struct origins *o, const struct candidate *f)
{
	struct origin_input *e = entry(o, f->input);
	if (e->open)
		return false;
	struct deferred_list *k = e->deferred;
	if (!k || k->n == k->max) {
		uint32_t n = k ? k->n : 0, max = n + n / 2 + 8;
		k = e->deferred = mem_resize(k, sizeof *k + max * sizeof *k->v);
		k->n = n;
		k->max = max;
		k->milliseconds = f->milliseconds;
	}
	assert(k->n < k->max);
	k->v[k->n++] = (struct deferred){
		.alternative = f->alternative, .place = f->place, .event = f->event, .depth = f->depth};
	return true;
}

void origins_open(struct origins *o, int64_t input, void (*add)(void *opaque, const struct candidate *f), void *opaque)
{
	struct origin_input *e = entry(o, input);
	struct deferred_list *k = e->deferred;
	e->open = true;
	e->deferred = NULL;
	for (uint32_t i = 0; k && i < k->n; i++) {
		const struct deferred *w = &k->v[i];
		const struct candidate f = {.input = input,
		                            .event = w->event,
		                            .depth = w->depth,
		                            .alternative = w->alternative,
		                            .place = w->place,
		                            .milliseconds = k->milliseconds};
		add(opaque, &f);
	}
	mem_free(k);
}
