// Every solution of saved traces: which bits of it matter, and do the conditions stay true when all others are filled
// at random, a hundred times?
//
//   fillings [--budget S] TRACE...
//
// Prints a line per trace, tab-separated: trace, solutions, fillings, fillings that broke a condition, bytes that the
// solutions speak of, bytes that matter, seconds of the analysis, whether the budget was used up.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "path/path.h"
#include "solver/care.h"
#include "solver/chain.h"
#include "solver/check.h"

enum { FILLINGS = 100 };

struct sums {
	uint64_t solutions, fillings, wrong, bytes, care, ns;
};

static void fill(const struct expr_pool *pool, const struct care *care, const uint8_t *bytes, uint8_t *ret)
{
	for (uint32_t v = 0; v < pool->n_vars; v++)
		ret[v] = (uint8_t)((bytes[v] & care->masks[v]) | (random() & ~care->masks[v]));
}

static void try_solution(struct expr_pool *pool, struct care_solver *cs, struct care *care, const struct query *q,
                         const struct model *m, struct sums *sums)
{
	uint8_t *bytes = (uint8_t *)mem_copy(q->seed, pool->n_vars), *filled;
	struct check check;
	for (uint32_t i = 0; i < m->n; i++)
		bytes[m->vars[i]] = m->values[i];
	uint64_t from = clock_nanoseconds();
	bool holds = care_find(care, cs, q->originals, q->n_originals, bytes, CARE_DEFAULT);
	sums->ns += clock_nanoseconds() - from;
	sums->solutions++;
	sums->wrong += !holds;
	sums->bytes += m->n;
	sums->care += care_bytes(care);
	filled = mem_zero(pool->n_vars + 1);
	check_init(&check, pool);
	check_set(&check, q->originals, q->n_originals);
	for (int i = 0; holds && i < FILLINGS; i++) {
		fill(pool, care, bytes, filled);
		sums->fillings++;
		sums->wrong += !check_model(&check, filled, NULL);
	}
	check_release(&check);
	mem_free(filled);
	mem_free(bytes);
}

static int do_trace(const char *name, double budget)
{
	struct file_map map;
	struct trace t;
	struct err err;
	if (file_map(name, &map, &err) < 0 || trace_read(map.data, map.size, &t, &err) < 0) {
		fprintf(stderr, "fillings: %s: %s\n", name, err.text);
		return -1;
	}
	struct expr_pool pool;
	struct path path;
	struct model model = {0};
	struct care care = {0};
	struct sums sums = {0};
	expr_pool_init(&pool);
	path_init(&path, &pool, &t);
	struct solver_env env = {.pool = &pool, .nanoseconds = 10000000000u, .bytes = (size_t)1 << 30, .strict = true};
	struct solver *s = chain_new(&env, "chain");
	struct care_solver *cs = care_new(&env);
	uint64_t until = budget > 0 ? clock_nanoseconds() + (uint64_t)(budget * 1e9) : UINT64_MAX;
	uint32_t i = 0;
	for (; i < t.n_events && clock_nanoseconds() < until; i++) {
		if (!path_can_negate(&path, i))
			continue;
		struct query q = path_negate(&path, i);
		if (solver_solve(s, &q, &model) == ANSWER_SAT)
			try_solution(&pool, cs, &care, &q, &model, &sums);
	}
	const char *slash = strrchr(name, '/');
	printf("%s\t%lu\t%lu\t%lu\t%lu\t%lu\t%.3f\t%s\n", slash ? slash + 1 : name, sums.solutions, sums.fillings,
	       sums.wrong, sums.bytes, sums.care, 1e-9 * (double)sums.ns, i < t.n_events ? "cut" : "all");
	fflush(stdout);
	solver_free(s);
	care_free(cs);
	care_release(&care);
	model_release(&model);
	path_release(&path);
	expr_pool_release(&pool);
	file_unmap(&map);
	return sums.wrong ? -1 : 0;
}

int main(int argc, char **argv)
{
	double budget = 0;
	int i = 1, result = 0;
	if (argc > 2 && strcmp(argv[1], "--budget") == 0) {
		budget = atof(argv[2]);
		i = 3;
	}
	for (; i < argc; i++)
		result |= do_trace(argv[i], budget) < 0;
	return result;
}
