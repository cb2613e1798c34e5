#include "explore/sample.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"

int sample_parse(struct sample *ret, const char *text, struct err *err)
{
	static const char wants[] = "--sample wants a number of tests, or a share of them such as 10%";
	char *end;
	*ret = (struct sample){0};
	if (*text < '0' || *text > '9') // strto* take more than numbers
		return err_set(err, "%s", wants);
	errno = 0;
	unsigned long long number = strtoull(text, &end, 10);
	if (!*end && number && !errno) {
		ret->number = (size_t)number;
		return 0;
	}
	if (strspn(text, "0123456789.") != strlen(text) - 1)
		return err_set(err, "%s", wants);
	ret->share = strtod(text, &end);
	if (strcmp(end, "%") != 0 || !(ret->share > 0 && ret->share <= 100))
		return err_set(err, "%s", wants);
	return 0;
}

size_t sample_size(const struct sample *s, size_t n)
{
	size_t k = s->number ? s->number : n;
	if (s->share > 0) { // rounded up; but 7% of 100 are 7, whatever doubles make of it
		double exact = s->share * (double)n / 100 - 1e-9;
		k = exact > 0 ? (size_t)exact + 1 : 0;
	}
	return k < n ? k : n;
}

// C(n-m, k) / C(n, k) is the same with m and k exchanged, and a product of min(m, k) factors: those before `i` missed,
// does the next one?
double sample_probability(size_t n, size_t m, size_t k)
{
	size_t few = m < k ? m : k, many = m < k ? k : m;
	double misses = 1;
	for (size_t i = 0; i < few && misses > 0; i++)
		misses *= many + i < n ? (double)(n - many - i) / (double)(n - i) : 0;
	assert(0 <= misses && misses <= 1);
	return 1 - misses;
}

struct ticket {
	uint64_t rank;
	size_t test;
};

static int by_rank(const void *x, const void *y)
{
	const struct ticket *a = x, *b = y;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->test < b->test ? -1 : a->test > b->test;
}

size_t sample_suite(const struct sample *s, struct suite *suite, uint64_t seed, const char *why, size_t *ret_of)
{
	struct ticket *v = mem_alloc((suite->n + 1) * sizeof *v);
	size_t n = 0;
	uint64_t start = random_next(&seed);
	for (size_t i = 0; i < suite->n; i++)
		if (!suite->v[i].why) // each has a rank of its own, which no other test changes
			v[n++] = (struct ticket){.rank = random_scatter(suite->v[i].name + start), .test = i};
	if (n)
		qsort(v, n, sizeof *v, by_rank);
	size_t k = sample_size(s, n);
	assert(k <= n);
	for (size_t i = k; i < n; i++)
		suite->v[v[i].test].why = mem_strdup(why);
	mem_free(v);
	*ret_of = n;
	return k;
}
