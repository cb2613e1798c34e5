// Random queries through a chain of solvers and through Z3: counts of the answers, one line for a range of seeds.
//
//   bench-differential [--floats MILLISECONDS] CHAIN FROM TO
//
// For each seed a generator makes QUERIES queries. With --floats, these have operators on floats, and each solver gets
// MILLISECONDS for each; else it gets 10 seconds. Prints a line with tabs between: chain, from, to, queries, sat,
// unsat and unknown of Z3, the same of the chain, sat and unsat that are left after simplification, disagreements,
// seconds of Z3, seconds of the chain. What the two disagree on goes to standard error, as SMT-LIB; the exit status is
// 1 then.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "comparison.h"
#include "solver/chain.h"

enum { QUERIES = 50, MILLISECONDS = 10000 };

static void print(const char *chain, uint64_t from, uint64_t to, const struct comparison *c)
{
	printf("%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64, chain, from, to, c->queries);
	for (int side = 0; side < 2; side++)
		printf("\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64, c->answers[side][ANSWER_SAT],
		       c->answers[side][ANSWER_UNSAT], c->answers[side][ANSWER_UNKNOWN]);
	printf("\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%.1f\t%.1f\n", c->simple[ANSWER_SAT], c->simple[ANSWER_UNSAT],
	       c->disagreements, (double)c->nanoseconds[0] / 1e9, (double)c->nanoseconds[1] / 1e9);
}

static bool is_chain(const char *names)
{
	struct expr_pool pool;
	struct solver_env env = {.pool = &pool};
	expr_pool_init(&pool);
	struct solver *s = chain_new(&env, names);
	solver_free(s);
	expr_pool_release(&pool);
	return s != NULL;
}

int main(int argc, char **argv)
{
	struct comparison c = {.floats = argc > 1 && strcmp(argv[1], "--floats") == 0};
	uint64_t milliseconds = c.floats && argc > 2 ? strtoull(argv[2], NULL, 10) : MILLISECONDS;
	argc -= 2 * c.floats;
	argv += 2 * c.floats;
	if (argc != 4 || !milliseconds) {
		fprintf(stderr, "usage: bench-differential [--floats MILLISECONDS] CHAIN FROM TO\n");
		return 2;
	}
	uint64_t from = strtoull(argv[2], NULL, 10), to = strtoull(argv[3], NULL, 10);
	if (!is_chain(argv[1])) {
		fprintf(stderr, "bench-differential: no such chain: %s\n", argv[1]);
		return 2;
	}
	for (uint64_t seed = from; seed < to; seed++)
		comparison_run(&c, argv[1], seed, QUERIES, milliseconds * 1000000);
	print(argv[1], from, to, &c);
	if (c.text)
		fprintf(stderr, "; seed %" PRIu64 "\n%s\n", c.seed, c.text);
	mem_free(c.text);
	return c.disagreements ? 1 : 0;
}
