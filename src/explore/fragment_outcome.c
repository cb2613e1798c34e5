#include "explore/fragment_outcome.h"

#include "base/mem.h"

int fragment_count_phase(struct store *store, enum phase phase, const char *what, uint32_t n, struct err *err)
{
	char *key = mem_printf("%s.%s", what, phase_word(phase));
	int r = n ? store_count(store, key, n, err) : 0;
	mem_free(key);
	return r;
}

void fragment_outcome_add(struct fragment_outcome *o, const struct work_item *t, const struct result *r)
{
	if (t->flags & JOB_PATH) {
		o->runs++;
		o->inputs += r->changed_cover > 0;
		o->cut += r->cut || r->full || r->run.end == RUN_TIMEOUT || r->run.end == RUN_MEMORY;
		o->unmodelled += r->unmodelled;
	}
	for (uint32_t i = 0; i < r->n_answers; i++)
		o->unknown += r->answers[i].answer == ANSWER_UNKNOWN;
}
