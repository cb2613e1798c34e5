#include "search/strategies/frontier.h"

#include <string.h>

#include "base/mem.h"
#include "base/vec.h"

void frontier_release(struct frontier *f)
{
	mem_free(f->seen);
}

static bool is_new(struct frontier *f, uint32_t run)
{
	if (run / 8 >= f->max) {
		uint32_t max = run / 4 + 1024;
		vec_cover(f->seen, f->max, max);
		f->max = max;
	}
	bool was = f->seen[run / 8] >> run % 8 & 1;
	f->seen[run / 8] |= (uint8_t)(1u << run % 8);
	return !was;
}

void frontier_add(struct frontier *f, struct episode *w, double (*score)(const struct episode *w, uint32_t place))
{
	if (!is_new(f, w->at))
		return;
	for (uint32_t i = w->negated_at == PATHS_NONE ? 0 : w->negated_at; i < w->n; i++) {
		const struct path_node *n = &w->paths->nodes[w->nodes[i]];
		for (uint32_t k = n->first; k < n->first + n->alternatives; k++)
			if (episode_can_try(w, &w->paths->alternatives[k]))
				episode_pick(w, w->at, w->nodes[i], k, score(w, i));
	}
}
