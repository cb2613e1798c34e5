#include "explore/efforts.h"

#include "base/mem.h"
#include "base/vec.h"

enum {
	USUAL = 3,     // halvings for a candidate
	UNKNOWN = 4,   // one more for so many candidates of the edge that stayed unknown
	SHARE = 4,     // of the time, one part is for all effort
	QUERIES = 100, // where no clock may decide: one in so many candidates
};

MAP_FUNCTIONS(edge_efforts, struct edge_efforts, uint64_t, .edge, .edge, map_hash_number, map_same_number)

static uint64_t name_of(const struct candidate *f)
{
	return f->alternative.edge ? f->alternative.edge : 1;
}

void efforts_release(struct efforts *e)
{
	edge_efforts_release(&e->edges);
	mem_free(e->open);
	mem_free(e->rest);
	*e = (struct efforts){0};
}

static bool is_uncovered(const struct campaign *c, const struct candidate *f)
{
	return f->alternative.op != ALTERNATIVE_OTHER && f->alternative.op != ALTERNATIVE_VIOLATE &&
	       tree_get(&c->inside->edges, f->alternative.edge) == TREE_NEW;
}

// A run may have taken it meanwhile.
static bool is_unknown(const struct campaign *c, const struct candidate *f)
{
	return tree_get(&c->inside->tree, f->alternative.key) == TREE_UNKNOWN;
}

int8_t efforts_usual(const struct efforts *e, const struct candidate *f)
{
	const struct edge_effort *x = edge_efforts_get(&e->edges, name_of(f));
	int effort = -USUAL - (x ? (int)(x->unknown / UNKNOWN) : 0);
	if (f->again)
		return (int8_t)(f->again - 1);
	return (int8_t)(effort > EFFORT_LEAST ? effort : EFFORT_LEAST);
}

static void keep(struct candidate **v, size_t *n, size_t *max, const struct candidate *f)
{
	vec_room(*v, *n + 1, *max);
	(*v)[(*n)++] = *f;
}

void efforts_answered(struct efforts *e, const struct campaign *c, const struct candidate *f,
                      const struct result_answer *a)
{
	struct candidate next = *f;
	e->solved++;
	next.again++;
	if (a->answer != ANSWER_UNKNOWN || a->reason != SOLVER_HASTE ||
	    next.again > (c->setup->seconds > 0 ? 1 + EFFORT_MOST : 1))
		return;
	if (!f->again)
		edge_efforts_put(&e->edges, name_of(f))->unknown++;
	keep(&e->open, &e->n_open, &e->open_max, &next);
}

static bool is_due(const struct efforts *e, const struct campaign *c)
{
	const struct campaign_inside *in = c->inside;
	if (c->setup->deterministic)
		return in->all_effort * QUERIES < e->solved;
	return SHARE * in->us_all_effort < 1e6 * c->elapsed * in->n_slots;
}

// Those of other branch edges wait until nothing else is left.
static void sort_out(struct efforts *e, const struct campaign *c)
{
	size_t kept = 0;
	for (size_t i = 0; i < e->n_open; i++)
		if (is_uncovered(c, &e->open[i]))
			e->open[kept++] = e->open[i];
		else if (is_unknown(c, &e->open[i]))
			keep(&e->rest, &e->n_rest, &e->rest_max, &e->open[i]);
	e->n_open = kept;
}

bool efforts_choose(struct efforts *e, struct campaign *c, struct candidate *ret)
{
	if (!e->n_open || !is_due(e, c))
		return false;
	sort_out(e, c);
	size_t best = e->n_open;
	uint32_t least = 0;
	for (size_t i = e->n_open; i-- > 0;) {
		uint32_t tried = edge_efforts_put(&e->edges, name_of(&e->open[i]))->tried;
		if (best < e->n_open && tried >= least)
			continue;
		best = i;
		least = tried;
	}
	if (best == e->n_open)
		return false;
	*ret = e->open[best];
	e->open[best] = e->open[--e->n_open];
	if (!is_unknown(c, ret))
		return false;
	ret->effort = efforts_usual(e, ret);
	edge_efforts_put(&e->edges, name_of(ret))->tried++;
	c->inside->all_effort++;
	return true;
}

bool efforts_take(struct efforts *e, const struct campaign *c, struct candidate *ret)
{
	while (e->n_open || e->n_rest) {
		*ret = e->n_open ? e->open[--e->n_open] : e->rest[--e->n_rest];
		if (is_unknown(c, ret))
			return true;
	}
	return false;
}
