#include "explore/crowd.h"

#include <assert.h>

#include "base/mem.h"
#include "base/vec.h"

MAP_FUNCTIONS(crowd_edges, struct crowd_edges, uint64_t, .edge, .edge, map_hash_number, map_same_number)

static struct crowd_edge *edge_of(struct crowd *c, const struct candidate *f)
{
	return crowd_edges_put(&c->edges, f->alternative.edge ? f->alternative.edge : 1); // 0: a free slot
}

void crowd_release(struct crowd *c)
{
	crowd_edges_release(&c->edges);
	mem_free(c->v);
	*c = (struct crowd){0};
}

bool crowd_admits(struct crowd *c, const struct candidate *f)
{
	struct crowd_edge *e = edge_of(c, f);
	if (e->waiting < CROWD || c->turned_away++ % CROWD_SHARE == 0) {
		e->waiting++;
		return true;
	}
	vec_room(c->v, c->n + 1, c->max);
	c->v[c->n++] = *f;
	return false;
}

void crowd_leaves(struct crowd *c, const struct candidate *f)
{
	struct crowd_edge *e = edge_of(c, f);
	assert(e->waiting);
	e->waiting--;
}

bool crowd_next(struct crowd *c, struct candidate *ret)
{
	assert(c->first <= c->n);
	if (c->first == c->n)
		return false;
	*ret = c->v[c->first++];
	if (c->first == c->n)
		c->first = c->n = 0;
	edge_of(c, ret)->waiting++;
	return true;
}
