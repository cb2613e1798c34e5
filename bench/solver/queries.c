// Every question of saved traces, put to several chains: do they agree, and how fast is each?
//
//   queries [--chain NAME[+NAME...]] [--seconds S] [--budget S] [--floats N] [--list PATH] [--each PATH] [--events
//   E,...]
//           [--smt2 FOLDER] TRACE...
//
// --floats: of each trace only those with floats, of these at most N, evenly from all of it. --events: only those, of
// one trace. --list: asks nobody, but adds to that file a line for each query that would be asked, tab-separated:
// trace, event, a hash of its conditions, in which input bytes are numbered as they come up, how many conditions.
// --each: adds a line for each query and chain: trace, event, chain, answer (0: unsat, 1: sat, 2: unknown), ms. --smt2:
// writes the queries into that folder, which must exist, as TRACE-EVENT.smt2, before anyone is asked.
//
// The first chain named is what the others are compared with. The same sliced queries go to
// each; with a budget, those that the first one got to in that many seconds. Prints a line per trace and chain,
// tab-separated: trace, chain, queries, sat, unsat, unknown, seconds, changed bytes of all solutions, disagreements,
// the slowest in ms, queries that any of the chains solved, queries that the trace has.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/file.h"
#include "base/mem.h"
#include "expr/show.h"
#include "expr/simplify.h"
#include "expr/tape.h"
#include "path/path.h"
#include "solver/chain.h"
#include "solver/z3.h"

struct run {
	const char *chain;
	const char *trace;
	bool writes; // its queries, as SMT-LIB
	uint8_t *answers;
	uint64_t counts[3], changed, different, slowest;
	double seconds;
};

static uint32_t changed_bytes(const struct model *m, const uint8_t *seed)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < m->n; i++)
		n += m->values[i] != seed[m->vars[i]];
	return n;
}

static void dump(struct expr_pool *pool, const struct query *q)
{
	for (uint32_t i = 0; i < q->n; i++) {
		struct buf out = {0};
		expr_print(pool, expr_simplify(pool, q->conditions[i]), 600, &out);
		fprintf(stderr, "%u: %s\n", i, out.data);
		buf_release(&out);
	}
}

static uint32_t floats_wanted; // at most so many of a trace; 0: all queries, with floats or without
static const char *smt2_folder, *events_wanted;
static FILE *list, *each;

static bool has_floats(const struct expr_pool *p, const struct query *q)
{
	for (uint32_t i = 0; i < q->n; i++)
		if (p->nodes[q->conditions[i]].flags & EXPR_FLOAT)
			return true;
	return false;
}

static void write_smt2(const char *name, uint32_t event, struct expr_pool *pool, const struct query *q)
{
	char path[4096];
	struct err err;
	char *text = z3_text(pool, q);
	snprintf(path, sizeof path, "%s/%s-%u.smt2", smt2_folder, name, event);
	if (file_replace(path, text, strlen(text), 0666, &err) < 0)
		fprintf(stderr, "queries: %s\n", err.text);
	mem_free(text);
}

// All that the conditions say, with steps in place of nodes, and variables as they come up.
static uint64_t hash_of(struct expr_pool *p, const struct query *q)
{
	struct tape t;
	XXH3_state_t *h = XXH3_createState();
	XXH3_64bits_reset(h);
	tape_init(&t, p);
	for (uint32_t i = 0; i < q->n; i++) {
		uint32_t root = tape_add(&t, expr_simplify(p, q->conditions[i]));
		XXH3_64bits_update(h, &root, sizeof root);
	}
	tape_load(&t, q->seed);
	tape_run(&t);
	for (uint32_t i = 0; i < t.n; i++) {
		const struct tape_step *s = &t.steps[i];
		unsigned n = op_operands(s->node.op);
		const uint32_t words[] = {s->node.op, s->node.width, n > 0 ? s->a : 0,
		                          n > 1                                ? s->b
		                          : op_extra(s->node.op) == OP_EXTRA_B ? s->node.b
		                                                               : 0,
		                          n > 2                                ? s->c
		                          : op_extra(s->node.op) == OP_EXTRA_C ? s->node.c
		                                                               : 0};
		XXH3_64bits_update(h, words, sizeof words);
		if (s->node.op == OP_CONST)
			XXH3_64bits_update(h, &t.values[i], sizeof t.values[i]);
		if (s->node.op == OP_LOOKUP)
			XXH3_64bits_update(h, p->tables[s->node.b].bytes, p->tables[s->node.b].size);
	}
	uint64_t r = XXH3_64bits_digest(h);
	XXH3_freeState(h);
	tape_release(&t);
	return r;
}

// Those of --events, which somebody listed.
static void choose_named(const struct trace *t, uint8_t *chosen)
{
	char *at = (char *)events_wanted;
	while (*at) {
		char *end;
		uint64_t event = strtoul(at, &end, 10);
		if (end == at || event >= t->n_events)
			break;
		chosen[event] = 1;
		at = end + (*end == ',');
	}
}

// Marks the events whose queries are asked; returns how many queries the trace has, with floats or without.
static uint32_t choose(const char *name, const struct trace *t, uint8_t *chosen)
{
	struct expr_pool pool;
	struct path path;
	uint32_t n = 0, all = 0, *events = mem_zero((t->n_events + 1) * sizeof *events);
	expr_pool_init(&pool);
	path_init(&path, &pool, t);
	for (uint32_t i = 0; i < t->n_events; i++) {
		if (!path_can_negate(&path, i))
			continue;
		struct query q = path_negate(&path, i);
		all++;
		if (floats_wanted && !has_floats(&pool, &q))
			continue;
		events[n++] = i;
		if (list)
			fprintf(list, "%s\t%u\t%016lx\t%u\n", name, i, hash_of(&pool, &q), q.n);
	}
	uint32_t wanted = floats_wanted && floats_wanted < n ? floats_wanted : n;
	for (uint32_t k = 0; k < wanted && !events_wanted; k++)
		chosen[events[(uint64_t)k * n / wanted]] = 1;
	if (events_wanted)
		choose_named(t, chosen);
	path_release(&path);
	expr_pool_release(&pool);
	mem_free(events);
	return all;
}

// Returns the event at which the budget was used up.
static uint32_t ask_all(const struct trace *t, const uint8_t *chosen, struct run *r, double limit, double budget,
                        uint32_t end)
{
	struct expr_pool pool;
	struct path path;
	struct model model = {0};
	expr_pool_init(&pool);
	path_init(&path, &pool, t);
	struct solver_env env = {.pool = &pool,
	                         .nanoseconds = (uint64_t)(limit * 1e9),
	                         .bytes = (size_t)1 << 30,
	                         .strict = true,
	                         .far = getenv("FAR") != NULL};
	struct solver *s = chain_new(&env, r->chain);
	if (!s) {
		fprintf(stderr, "queries: there is no chain '%s'\n", r->chain);
		exit(2);
	}
	uint32_t i = 0;
	memset(r->answers, 255, t->n_events);
	for (; i < end && (!budget || r->seconds < budget); i++) {
		if (!chosen[i] || !path_can_negate(&path, i))
			continue;
		struct query q = path_negate(&path, i);
		if (r->writes && smt2_folder)
			write_smt2(r->trace, i, &pool, &q);
		if (getenv("DUMP") && (uint32_t)atoi(getenv("DUMP")) == i)
			dump(&pool, &q);
		uint64_t from = clock_nanoseconds();
		enum answer a = solver_solve(s, &q, &model);
		uint64_t took = clock_nanoseconds() - from;
		r->seconds += 1e-9 * (double)took;
		if (took > r->slowest)
			r->slowest = took;
		r->answers[i] = (uint8_t)a;
		if (each)
			fprintf(each, "%s\t%u\t%s\t%d\t%.3f\n", r->trace, i, r->chain, a, 1e-6 * (double)took);
		r->counts[a]++;
		if (a == ANSWER_SAT)
			r->changed += changed_bytes(&model, q.seed);
		if (a == ANSWER_UNKNOWN)
			fprintf(stderr, "queries: event %u: unknown to %s: %s\n", i, r->chain,
			        solver_reason_words(env.reason));
		if (getenv("SLOW") && took > 1e6 * atof(getenv("SLOW")))
			fprintf(stderr, "queries: event %u: %s took %.1f ms, %u conditions, answer %d\n", i, r->chain,
			        1e-6 * (double)took, q.n, a);
	}
	for (struct solver *x = s; x && getenv("STAGES"); x = x->next)
		fprintf(stderr, "  %-8s %8lu unsat %8lu sat %8lu unknown; own %8lu unsat %8lu sat; %.3f s\n",
		        x->type->name, x->answers[0], x->answers[1], x->answers[2], x->own[0], x->own[1],
		        1e-9 * (double)x->nanoseconds);
	solver_free(s);
	model_release(&model);
	path_release(&path);
	expr_pool_release(&pool);
	return i;
}

static void compare(const char *name, const struct trace *t, const struct run *first, struct run *r)
{
	for (uint32_t i = 0; i < t->n_events; i++)
		if (first->answers[i] != r->answers[i] && first->answers[i] < ANSWER_UNKNOWN &&
		    r->answers[i] < ANSWER_UNKNOWN) {
			fprintf(stderr, "queries: %s, event %u: %s says %s, %s the contrary\n", name, i, r->chain,
			        r->answers[i] ? "sat" : "unsat", first->chain);
			r->different++;
		}
}

static uint64_t solved_by_any(const struct trace *t, const struct run *runs, unsigned n)
{
	uint64_t solved = 0;
	for (uint32_t i = 0; i < t->n_events; i++) {
		bool any = false;
		for (unsigned k = 0; k < n; k++)
			any |= runs[k].answers[i] < ANSWER_UNKNOWN;
		solved += any;
	}
	return solved;
}

static void print_row(const char *name, const struct run *r, uint64_t any, uint32_t all)
{
	printf("%s\t%s\t%lu\t%lu\t%lu\t%lu\t%.4f\t%lu\t%lu\t%.2f\t%lu\t%u\n", name, r->chain,
	       r->counts[0] + r->counts[1] + r->counts[2], r->counts[ANSWER_SAT], r->counts[ANSWER_UNSAT],
	       r->counts[ANSWER_UNKNOWN], r->seconds, r->changed, r->different, 1e-6 * (double)r->slowest, any, all);
	fflush(stdout);
}

static int do_trace(const char *name, struct run *runs, unsigned n, double limit, double budget)
{
	struct file_map map;
	struct trace t;
	struct err err;
	if (file_map(name, &map, &err) < 0 || trace_read(map.data, map.size, &t, &err) < 0) {
		fprintf(stderr, "queries: %s: %s\n", name, err.text);
		return -1;
	}
	const char *slash = strrchr(name, '/');
	const char *base = slash ? slash + 1 : name;
	uint32_t end = t.n_events;
	uint8_t *chosen = mem_zero(t.n_events + 1);
	uint32_t all = choose(base, &t, chosen);
	for (unsigned k = 0; k < n && !list; k++) {
		struct run *r = &runs[k];
		const char *chain = r->chain;
		*r = (struct run){.chain = chain, .trace = base, .writes = !k, .answers = mem_zero(t.n_events + 1)};
		end = ask_all(&t, chosen, r, limit, k ? 0 : budget, end);
		compare(base, &t, &runs[0], r);
	}
	for (unsigned k = 0; k < n && !list; k++)
		print_row(base, &runs[k], solved_by_any(&t, runs, n), all);
	for (unsigned k = 0; k < n; k++)
		mem_free(runs[k].answers);
	mem_free(chosen);
	file_unmap(&map);
	return 0;
}

int main(int argc, char **argv)
{
	struct run runs[8] = {{.chain = "z3-here"}, {.chain = "uncached"}, {.chain = "chain"}};
	unsigned n = 3;
	double limit = 10, budget = 0;
	int i = 1;
	for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
		FILE **file = strcmp(argv[i], "--list") == 0 ? &list : strcmp(argv[i], "--each") == 0 ? &each : NULL;
		if (file && !(*file = fopen(argv[i + 1], "a"))) {
			perror(argv[i + 1]);
			return 2;
		}

		if (strcmp(argv[i], "--seconds") == 0)
			limit = atof(argv[i + 1]);
		else if (strcmp(argv[i], "--budget") == 0)
			budget = atof(argv[i + 1]);
		else if (strcmp(argv[i], "--floats") == 0)
			floats_wanted = (uint32_t)atoi(argv[i + 1]);
		else if (strcmp(argv[i], "--events") == 0)
			events_wanted = argv[i + 1];
		else if (strcmp(argv[i], "--smt2") == 0)
			smt2_folder = argv[i + 1];
		else if (strcmp(argv[i], "--chain") == 0)
			for (n = 0; n < 8 && (runs[n].chain = strtok(n ? NULL : argv[i + 1], "+")); n++)
				;
	}
	int result = 0;
	for (; i < argc; i++)
		result |= do_trace(argv[i], runs, n, limit, budget) < 0;
	return result;
}
