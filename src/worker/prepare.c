#include "worker/prepare.h"

static void copy(struct condition_list *to, const uint32_t *ids, uint32_t n)
{
	to->n = 0;
	for (uint32_t i = 0; i < n; i++)
		condition_list_add(to, ids[i]);
}

static void keep(struct prepared_query *to, struct path *path, const struct job_alternative *t)
{
	to->is_one = t->event < path->import.trace->n_events && path_can_negate(path, t->event);
	if (!to->is_one)
		return;
	struct query q = alternative_query(path, t->event, &t->alternative, t->known, t->n_known);
	copy(&to->conditions, q.conditions, q.n);
	copy(&to->originals, q.originals, q.n_originals);
}

void prepare_queries(struct prepared *p, struct path *path, const struct job_alternative *alternatives, uint32_t n)
{
	uint32_t order[PREPARE_MOST];
	n = n < PREPARE_MOST ? n : PREPARE_MOST;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = i;
		for (; k && alternatives[order[k - 1]].event > alternatives[i].event; k--)
			order[k] = order[k - 1];
		order[k] = i;
	}
	for (uint32_t i = 0; i < n; i++)
		keep(&p->v[order[i]], path, &alternatives[order[i]]);
}

bool prepare_query(const struct prepared *p, const struct path *path, uint32_t i, struct query *ret)
{
	const struct prepared_query *q = &p->v[i];
	*ret = (struct query){.conditions = q->conditions.ids,
	                      .n = q->conditions.n,
	                      .seed = path->import.seed,
	                      .originals = q->originals.ids,
	                      .n_originals = q->originals.n};
	return q->is_one;
}

void prepare_release(struct prepared *p)
{
	for (int i = 0; i < PREPARE_MOST; i++) {
		condition_list_release(&p->v[i].conditions);
		condition_list_release(&p->v[i].originals);
	}
}
