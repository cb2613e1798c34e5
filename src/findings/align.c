#include "findings/align.h"

#include <assert.h>

#include "base/mem.h"

static void pair_by_number(uint32_t n, uint32_t m, align_score score, void *opaque, uint32_t *ret)
{
	for (uint32_t i = 0; i < n; i++)
		ret[i] = i < m && score(opaque, i, i) ? i : ALIGN_NONE;
}

// best[i * (m + 1) + k]: of what follows element i and k.
static void walk(uint32_t n, uint32_t m, align_score score, void *opaque, const uint32_t *best, uint32_t *ret)
{
	const uint64_t row = (uint64_t)m + 1;
	uint32_t i = 0, k = 0;
	while (i < n && k < m) {
		unsigned own = score(opaque, i, k);
		const uint32_t here = best[i * row + k];
		if (own && here == own + best[(i + 1) * row + k + 1]) {
			ret[i++] = k++;
		} else if (here == best[(i + 1) * row + k]) {
			ret[i++] = ALIGN_NONE;
		} else {
			assert(here == best[i * row + k + 1]);
			k++;
		}
	}
	while (i < n)
		ret[i++] = ALIGN_NONE;
}

void align(uint32_t n, uint32_t m, align_score score, void *opaque, uint32_t *ret)
{
	const uint64_t row = (uint64_t)m + 1;
	if ((uint64_t)n * m > ALIGN_MOST) {
		pair_by_number(n, m, score, opaque, ret);
		return;
	}
	uint32_t *best = mem_zero((n + 1) * row * sizeof *best);
	for (uint32_t i = n; i-- > 0;)
		for (uint32_t k = m; k-- > 0;) {
			unsigned own = score(opaque, i, k);
			uint32_t most = best[(i + 1) * row + k], other = best[i * row + k + 1],
				 both = own ? own + best[(i + 1) * row + k + 1] : 0;
			most = other > most ? other : most;
			best[i * row + k] = both > most ? both : most;
		}
	walk(n, m, score, opaque, best, ret);
	mem_free(best);
}
