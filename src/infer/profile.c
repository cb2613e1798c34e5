#include "infer/profile.h"

#include "base/mem.h"

double profile_accuracy(const struct model *m, const uint32_t *truth, size_t n, const uint32_t *inferred,
                        size_t n_inferred)
{
	int64_t *counts = mem_zero((m->n_segments + 1) * sizeof *counts);
	uint64_t differ = 0;
	for (size_t i = 0; i < n; i++)
		counts[truth[i] < m->n_segments ? truth[i] : m->n_segments]++;
	for (size_t i = 0; i < n_inferred; i++)
		counts[inferred[i] < m->n_segments ? inferred[i] : m->n_segments]--;
	for (uint32_t i = 0; i <= m->n_segments; i++)
		differ += (uint64_t)(counts[i] < 0 ? -counts[i] : counts[i]);
	mem_free(counts);
	return n && differ < n ? 1 - (double)differ / (double)n : 0;
}
