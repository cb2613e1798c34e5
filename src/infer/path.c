#include "infer/path.h"

#include "base/mem.h"

// One row of the table at a time, of it only what lies within `band` of the diagonal.
static uint64_t within(const uint32_t *a, size_t n, const uint32_t *b, size_t m, size_t band)
{
	size_t width = 2 * band + 1;
	uint32_t *row = mem_alloc(width * sizeof *row), far = UINT32_MAX / 2;
	for (size_t k = 0; k < width; k++) // row[k]: of b's first i + k - band
		row[k] = k < band ? far : (uint32_t)(k - band);
	for (size_t i = 1; i <= n; i++)
		for (size_t k = 0; k < width; k++) {
			size_t j = i + k - band;
			if (i + k < band || j > m) {
				row[k] = far;
				continue;
			}
			uint32_t best = j ? row[k] + (a[i - 1] != b[j - 1]) : far;
			uint32_t removed = k + 1 < width ? row[k + 1] + 1 : far, added = k && j ? row[k - 1] + 1 : far;
			best = removed < best ? removed : best;
			row[k] = added < best ? added : best;
		}
	size_t k = m + band - n;
	uint64_t d = m + band >= n && k < width ? row[k] : far;
	mem_free(row);
	return d;
}

uint64_t path_distance(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint64_t most)
{
	size_t larger = n > m ? n : m, differ = n > m ? n - m : m - n;
	for (size_t band = differ + 16;; band *= 2) {
		band = band < larger ? band : larger + 1;
		uint64_t d = within(a, n, b, m, band);
		if (d <= band || band > larger || d >= most) // what is beyond the band costs more than the band is wide
			return d;
	}
}
