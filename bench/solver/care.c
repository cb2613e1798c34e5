// Which bits matter: what each method of don't-care analysis leaves, and how long it takes.
//
//   bench-care [-v] [-s SECONDS] [-m METHOD,...] [-r PATHS] [TRACE...]
//
// Takes whole paths: those of saved traces (`veer path --save`), and PATHS random ones. Prints
// a markdown table of sums; with -v also a line per path and method on standard error. What does
// not matter is filled at random, and the conditions evaluated: "wrong" counts paths for
// which that failed, and must be 0.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "expr/import.h"
#include "expr/tape.h"
#include "solver/care.h"
#include "tests/unit/paths.h"

enum { FILLINGS = 20 };

// A path, wherever it comes from.
struct subject {
	const char *name;
	struct expr_pool *pool;
	const uint32_t *conditions;
	uint32_t n;
	const uint8_t *bytes; // per variable of the pool
};

static struct total {
	uint64_t bytes, bits, nanoseconds, slowest;
	uint32_t limited, wrong;
} totals[CARE_METHODS];
static uint32_t n_paths, n_conditions;
static bool chosen[CARE_METHODS];
static bool verbose;
static double seconds = 10;

// Whether the conditions stay true, whatever does not matter is.
static bool is_right(const struct subject *s, const struct care *care, uint64_t *r)
{
	struct tape tape;
	uint8_t *bytes = mem_alloc(care->n + 1);
	bool right = true;
	tape_init(&tape, s->pool);
	for (uint32_t i = 0; i < s->n; i++)
		tape_add(&tape, s->conditions[i]);
	for (int k = 0; k < FILLINGS && right; k++) {
		for (uint32_t i = 0; i < care->n; i++) {
			uint8_t filling = k == 0 ? (uint8_t)~s->bytes[i] : (uint8_t)random_next(r);
			bytes[i] = (uint8_t)((s->bytes[i] & care->masks[i]) | (filling & ~care->masks[i]));
		}
		tape_load(&tape, bytes);
		tape_run(&tape);
		for (uint32_t i = 0; i < s->n && right; i++)
			right = tape.values[tape.step_of[s->conditions[i]] - 1];
	}
	tape_release(&tape);
	mem_free(bytes);
	return right;
}

// Of this process: others do not count.
static uint64_t cpu_time(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void measure(const struct subject *s, enum care_method m)
{
	struct total *t = &totals[m];
	struct care care = {0};
	uint64_t r = 1;
	struct solver_env env = {
		.pool = s->pool, .nanoseconds = (uint64_t)(seconds * 1e9), .bytes = (size_t)1 << 30, .strict = true};
	struct care_solver *solver = care_new(&env);
	uint64_t from = cpu_time();
	if (!care_find(&care, solver, s->conditions, s->n, s->bytes, m))
		fprintf(stderr, "bench-care: %s: the path is not that of its input\n", s->name);
	uint64_t took = cpu_time() - from;
	bool right = is_right(s, &care, &r);
	t->bytes += care_bytes(&care);
	t->bits += care_bits(&care);
	t->nanoseconds += took;
	t->slowest = took > t->slowest ? took : t->slowest;
	t->limited += env.reason != SOLVER_NONE;
	t->wrong += !right;
	if (verbose)
		fprintf(stderr, "%-16s %6u %-10s %6u bytes %7u bits %10.3f ms%s%s%s\n", s->name, s->n,
		        care_method_name(m), care_bytes(&care), care_bits(&care), 1e-6 * (double)took,
		        env.reason ? ", " : "", solver_reason_words(env.reason), right ? "" : ", WRONG");
	care_release(&care);
	care_free(solver);
}

static void measure_all(const struct subject *s)
{
	n_paths++;
	n_conditions += s->n;
	for (unsigned m = 0; m < CARE_METHODS; m++)
		if (chosen[m])
			measure(s, (enum care_method)m);
}

// The conditions of the path, what always holds of its inputs, and what must stay as it is besides, as for
// path_kept.
static void do_trace(const char *name, const struct trace *t)
{
	struct expr_pool pool;
	struct import im;
	expr_pool_init(&pool);
	import_init(&im, &pool, t);
	uint32_t *conditions = mem_alloc((t->n_events + im.n_always + pool.n_vars + 1) * sizeof *conditions), n = 0;
	for (uint32_t i = 0; i < im.n_always; i++)
		conditions[n++] = im.always[i];
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct trace_event *event = &t->events[i];
		uint32_t e = trace_is_condition(event) ? import_condition(&im, i) : 0;
		if (event->kind == EVENT_PASSED && event->label)
			e = expr_eq(&pool, im.exprs[event->label], event->value);
		if (e)
			conditions[n++] = e;
	}
	import_cover(&im);
	for (uint32_t v = 0; v < pool.n_vars; v++)
		if (pool.sources[pool.vars[v].source].type.role == INPUT_COUNT)
			conditions[n++] = expr_eq(&pool, pool.vars[v].expr, im.seed[v]);
	const struct subject s = {.name = name, .pool = &pool, .conditions = conditions, .n = n, .bytes = im.seed};
	measure_all(&s);
	mem_free(conditions);
	import_release(&im);
	expr_pool_release(&pool);
}

static int do_file(const char *path)
{
	struct file_map map;
	struct trace t;
	struct err err;
	if (file_map(path, &map, &err) < 0 || trace_read(map.data, map.size, &t, &err) < 0) {
		fprintf(stderr, "bench-care: %s: %s\n", path, err.text);
		return -1;
	}
	const char *slash = strrchr(path, '/');
	do_trace(slash ? slash + 1 : path, &t);
	file_unmap(&map);
	return 0;
}

static void do_random(unsigned number)
{
	uint64_t r = number;
	struct path p;
	char name[32];
	snprintf(name, sizeof name, "random-%u", number);
	path_make(&p, &r, 20 + 20 * number, 20 + 20 * number, false);
	const struct subject s = {
		.name = name, .pool = &p.pool, .conditions = p.conditions, .n = p.n, .bytes = p.bytes};
	measure_all(&s);
	path_release(&p);
}

static void print(void)
{
	printf("%u paths, %u conditions\n\n", n_paths, n_conditions);
	printf("| method | bytes | bits | seconds | slowest (ms) | limited | wrong "
	       "|\n|---|---:|---:|---:|---:|---:|---:|\n");
	for (unsigned m = 0; m < CARE_METHODS; m++)
		if (chosen[m])
			printf("| %s | %lu | %lu | %.3f | %.1f | %u | %u |\n", care_method_name((enum care_method)m),
			       totals[m].bytes, totals[m].bits, 1e-9 * (double)totals[m].nanoseconds,
			       1e-6 * (double)totals[m].slowest, totals[m].limited, totals[m].wrong);
}

static bool choose(char *names)
{
	memset(chosen, 0, sizeof chosen);
	for (char *name = strtok(names, ","); name; name = strtok(NULL, ",")) {
		enum care_method m;
		if (!care_method_find(name, &m)) {
			fprintf(stderr, "bench-care: there is no method '%s'\n", name);
			return false;
		}
		chosen[m] = true;
	}
	return true;
}

int main(int argc, char **argv)
{
	unsigned n_random = 0;
	int result = 0;
	memset(chosen, 1, sizeof chosen);
	for (int option; (option = getopt(argc, argv, "vs:m:r:")) >= 0;) {
		if (option == '?' || (option == 'm' && !choose(optarg)))
			return 2;
		if (option == 'v')
			verbose = true;
		if (option == 's')
			seconds = atof(optarg);
		if (option == 'r')
			n_random = (unsigned)atoi(optarg);
	}
	for (unsigned i = 1; i <= n_random; i++)
		do_random(i);
	for (int i = optind; i < argc; i++)
		result |= do_file(argv[i]) < 0;
	print();
	for (unsigned m = 0; m < CARE_METHODS; m++)
		result |= totals[m].wrong != 0;
	return result;
}
