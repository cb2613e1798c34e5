// Searches by mutation: runs mutated inputs with nothing symbolic, at nearly native speed, and reports those that
// execute something new or crash.
#include "worker/worker_internal.h"

#include <assert.h>
#include <signal.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "coverage/cover.h"
#include "expr/replace.h"
#include "input/mutate.h"
#include "input/sym.h"
#include "path/apply.h"

enum { FOUND = 16, PLACES = 1 << 16 }; // of a job: reported inputs

typedef VEC(struct mutate_place) places_t;

// --- what unsolved conditions depend on -------------------------------------------------------------

static void add_place(const struct worker_state *s, const struct input *whole, uint32_t var, places_t *places)
{
	const struct expr_var *v = &s->pool.vars[var];
	uint32_t i = 0;
	while (i < s->trace.n_inputs && s->path.import.sources[i] != v->source)
		i++;
	if (i == s->trace.n_inputs || trace_input_type(&s->trace, i).role != INPUT_BYTES || places->n == PLACES)
		return;
	const struct input_part *part = input_part_of(whole, trace_input_source(&s->trace, i));
	if (part)
		vec_push(places, (struct mutate_place){(uint32_t)(part - whole->v), v->offset});
}

// The bytes that the job's alternatives depend on.
static void find_places(struct worker_state *s, const struct job *j, const struct input *whole, places_t *places)
{
	bool *vars = mem_zero(s->pool.n_vars + 1);
	uint32_t n = s->pool.n_vars;
	for (uint32_t i = 0; i < j->n_alternatives; i++) {
		const struct job_alternative *t = &j->alternatives[i];
		if (t->event >= s->trace.n_events || !path_can_negate(&s->path, t->event))
			continue;
		struct query q = alternative_query(&s->path, t->event, &t->alternative, t->known, t->n_known);
		if (s->pool.n_vars > n) {
			vec_cover(vars, n, s->pool.n_vars);
			n = s->pool.n_vars;
		}
		if (q.n)
			replace_find_vars(&s->pool, q.conditions[q.n - 1], vars);
	}
	for (uint32_t v = 0; v < n; v++)
		if (vars[v])
			add_place(s, whole, v, places);
	mem_free(vars);
}

// The input with all that its run came to, and where to change it.
static int prepare(struct worker_state *s, const struct job *j, struct result *r, struct input *whole, places_t *places,
                   struct err *err)
{
	if (worker_run(s, j, r, err) < 0)
		return -1;
	cover_clear(s->explored->cover, s->explored->cover_size); // what it covers is known
	worker_prepare_solving(s);
	input_copy(whole, &s->seen);
	apply_objects(whole, &s->path);
	if ((!s->setup->sym || sym_has(s->setup->sym, "stdin")) && !input_find(whole, INPUT_STDIN, NULL))
		input_add(whole, INPUT_STDIN, NULL, "", 0);
	find_places(s, j, whole, places);
	worker_name_again(s, whole);
	return 0;
}

// --- running ----------------------------------------------------------------------------------------

static bool is_crash(const struct run_result *run)
{
	return run->end == RUN_SIGNAL && (run->code == SIGSEGV || run->code == SIGBUS || run->code == SIGFPE ||
	                                  run->code == SIGILL || run->code == SIGABRT || run->code == SIGTRAP);
}

// What is new about the run by its coverage; 0: nothing that was not seen before, in this job either.
static bool is_new(struct worker_state *s, uint64_t *seen, size_t n_seen, uint64_t *ret)
{
	*ret = cover_news(s->setup->cover, s->explored->cover, s->explored->cover_size);
	cover_clear(s->explored->cover, s->explored->cover_size);
	for (size_t i = 0; i < n_seen; i++)
		if (seen[i] == *ret)
			return false;
	return *ret != 0;
}

static void report(struct result *r, struct input *in)
{
	r->mutants = mem_resize(r->mutants, (r->n_mutants + 1) * sizeof *r->mutants);
	r->mutants[r->n_mutants++].input = *in;
	*in = (struct input){0};
}

static int run_mutants(struct worker_state *s, const struct job *j, const struct input *whole, struct mutator *m,
                       struct result *r, struct err *err)
{
	const uint64_t until = j->milliseconds ? worker_clock() + 1000 * (uint64_t)j->milliseconds : UINT64_MAX;
	uint64_t seen[FOUND];
	size_t n_seen = 0;
	bool crashed = false;
	while (r->n_mutants < FOUND && worker_clock() < until && r->mutated < j->runs) {
		struct input in = {0};
		struct run_result run;
		uint64_t news;
		input_copy(&in, whole);
		bool can = mutate(m, &in), is_other = can && !input_equal(&in, whole) && !worker_is_too_large(s, &in);
		int ran = is_other ? executor_run(s->explored, &in, s->setup->milliseconds, &run, err) : 0;
		if (is_other && ran == 0) {
			r->mutated++;
			bool fresh = is_new(s, seen, n_seen, &news), crashes = is_crash(&run) && !crashed;
			crashed |= crashes;
			if (fresh)
				seen[n_seen++] = news;
			if (fresh || crashes)
				report(r, &in);
		}
		input_release(&in);
		if (ran < 0)
			return -1;
		if (!can)
			break;
	}
	return 0;
}

int worker_mutate(struct worker_state *s, const struct job *j, struct result *r, struct err *err)
{
	struct input whole = {0};
	places_t places = {0};
	assert(s->explored && s->explored->setup.want_cover && j->runs);
	uint64_t from = worker_clock();
	int result = prepare(s, j, r, &whole, &places, err);
	struct mutator m = {.sym = s->setup->sym,
	                    .words = &s->setup->programs[s->program].words,
	                    .places = places.v,
	                    .n_places = places.n,
	                    .round = j->round,
	                    .random = hash_mix(input_hash(&j->input), j->round)};
	s->explored->concrete = true;
	if (result == 0)
		result = run_mutants(s, j, &whole, &m, r, err);
	s->explored->concrete = false;
	worker_forget_run(s); // others took its place
	r->us_run = worker_clock() - from;
	input_release(&whole);
	vec_release(&places);
	return result;
}
