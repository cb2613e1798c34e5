// Solves: alternatives of a path, and which bytes of an input are relevant.
#include "worker/worker_internal.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "expr/trace.h"
#include "input/fragment.h"
#include "path/apply.h"
#include "solver/chain.h"

enum { POOL_MAX = 256 << 20 };

static void stop_solving(struct worker_state *s)
{
	if (!s->solves)
		return;
	worker_forget_path(s);
	path_release(&s->path);
	s->has_room = false;
	solver_free(s->solver);
	care_free(s->care_solver);
	expr_pool_release(&s->pool);
	s->solves = false;
	assert(!s->has_path && !s->has_room);
}

// Expressions of earlier paths stay in the pool, and answers to queries about them, until there are too many.
void worker_prepare_solving(struct worker_state *s)
{
	assert(s->ran);
	if (s->has_path)
		return;
	if (s->solves && expr_pool_bytes(&s->pool) > POOL_MAX)
		stop_solving(s);
	if (!s->solves) {
		expr_pool_init(&s->pool);
		s->env = (struct solver_env){
			.pool = &s->pool,
			.floats = (enum solver_floats)s->setup->solver_floats,
			.nanoseconds = s->setup->solver_ns,
			.conflicts = s->setup->solver_conflicts,
			.sparing = true,
			.bytes = s->setup->solver_bytes ? s->setup->solver_bytes : (size_t)512 << 20,
		};
		s->solver = chain_new(&s->env, "chain");
		s->care_solver = care_new(&s->env);
		s->solves = true;
	}
	if (s->has_room)
		path_enter(&s->path, &s->trace);
	else
		path_init(&s->path, &s->pool, &s->trace);
	s->has_room = true;
	if (s->setup->largest)
		apply_limits(&s->path, &s->largest);
	s->has_path = true;
	assert(s->solves && s->path.import.trace == &s->trace);
}

bool worker_is_too_large(const struct worker_state *s, const struct input *in)
{
	const struct input *most = s->setup->largest;
	size_t arguments = 0, may = 0;
	for (size_t i = 0; most && i < in->n; i++) {
		const struct input_part *p = &in->v[i];
		const struct input_part *m = p->kind == INPUT_ARGUMENT ? input_argument(most, arguments++)
		                                                       : input_find(most, p->kind, p->name);
		if (m && p->data.len > m->data.len)
			return true;
	}
	for (size_t i = 0; most && i < most->n; i++)
		may += most->v[i].kind == INPUT_ARGUMENT;
	return most && arguments > may;
}

// The i-th query; false: the run was another one this time, and does not have it.
static bool query_of(struct worker_state *s, const struct job *j, uint32_t i, struct query *ret)
{
	const struct job_alternative *t = &j->alternatives[i];
	if (j->flags & JOB_FIRST) { // not in the order of the path
		if (i % PREPARE_MOST == 0)
			prepare_queries(&s->prepared, &s->path, t, j->n_alternatives - i);
		return prepare_query(&s->prepared, &s->path, i % PREPARE_MOST, ret);
	}
	if (t->event >= s->trace.n_events || !path_can_negate(&s->path, t->event))
		return false;
	*ret = alternative_query(&s->path, t->event, &t->alternative, t->known, t->n_known);
	return true;
}

// An access that just misses its object hits a redzone of the sanitizer; one that misses it by far may hit another
// object, and nobody sees it. So of the inputs that violate a check, one that hardly does is preferred.
static void solve_near(struct worker_state *s, const struct job_alternative *t)
{
	enum { REDZONE = 64, PAGE = 4096 };
	static const uint64_t most[] = {1, REDZONE, PAGE};
	struct model near = {0}; // a stage may clear its model before it knows the answer
	struct query q;
	enum answer answer = ANSWER_UNSAT;
	for (size_t i = 0; i < sizeof most / sizeof *most && answer == ANSWER_UNSAT; i++)
		answer = alternative_near(&s->path, t->event, most[i], &q) ? solver_solve(s->solver, &q, &near)
		                                                           : ANSWER_UNKNOWN;
	if (answer == ANSWER_SAT) {
		const struct model far = s->model;
		s->model = near;
		near = far;
	}
	model_release(&near);
}

static void solve(struct worker_state *s, const struct job *j, uint32_t i, struct result_answer *ret)
{
	struct query q;
	assert(i < j->n_alternatives && s->has_path);
	ret->key = j->alternatives[i].alternative.key;
	ret->event = j->alternatives[i].event;
	ret->answer = ANSWER_UNKNOWN;
	ret->reason = SOLVER_NONE;
	if (!query_of(s, j, i, &q))
		return;
	s->env.effort = j->alternatives[i].effort;
	ret->answer = solver_solve(s->solver, &q, &s->model);
	if (ret->answer == ANSWER_UNKNOWN)
		ret->reason = s->env.reason;
	if (ret->answer != ANSWER_SAT)
		return;
	if (j->alternatives[i].alternative.op == ALTERNATIVE_VIOLATE)
		solve_near(s, &j->alternatives[i]);
	ret->changed = apply_model(&ret->input, &s->seen, &s->path, &s->model);
	if (j->alternatives[i].alternative.op == ALTERNATIVE_GROW)
		apply_grown(&ret->input, &s->path, ret->event, j->alternatives[i].alternative.value);
	worker_name_again(s, &ret->input);
	if (worker_is_too_large(s, &ret->input)) { // in a part that the trace did not tell of
		input_release(&ret->input);
		ret->answer = ANSWER_UNKNOWN;
	}
}

// The events that places stand for, on this path.
static void find_events(struct worker_state *s, struct job *j)
{
	struct decisions *ds = &s->again;
	ds->hold = fragment_name(&s->input) != 0; // what is made up need not break what the code relies on
	decisions_read(ds, &s->trace, worker_root(s), s->setup->decisions);
	for (uint32_t k = 0; k < ds->n; k++)
		for (uint32_t i = 0; i < j->n_alternatives; i++)
			if (ds->v[k].place == j->alternatives[i].place && !ds->v[k].check)
				j->alternatives[i].event = ds->v[k].event;
}

void worker_solve(struct worker_state *s, struct job *j, struct result *r)
{
	uint64_t from = worker_clock();
	bool first = j->flags & JOB_FIRST, found = false;
	assert(!r->answers);
	r->answers = mem_zero((j->n_alternatives + 1) * sizeof *r->answers);
	if (j->n_alternatives)
		worker_prepare_solving(s);
	if (j->n_alternatives && j->alternatives[0].event == UINT32_MAX)
		find_events(s, j);
	const uint64_t until = j->milliseconds ? from + 1000 * (uint64_t)j->milliseconds : UINT64_MAX;
	for (; r->n_answers < j->n_alternatives && worker_clock() < until && !(first && found); r->n_answers++) {
		solve(s, j, r->n_answers, &r->answers[r->n_answers]);
		found = r->answers[r->n_answers].answer == ANSWER_SAT;
	}
	assert(r->n_answers <= j->n_alternatives);
	r->us_solve = worker_clock() - from;
}

// All that can be input: not the name of the program, which never is.
static size_t size_of_input(const struct input *in)
{
	const struct input_part *name = input_argument(in, 0);
	return input_size(in) - (name ? name->data.len : 0);
}

// Its relevant bytes; not how many there are of something, and no terminators.
static int32_t count_care(const struct worker_state *s)
{
	const struct trace *t = &s->trace;
	int32_t n = 0;
	for (uint32_t v = 0; v < s->care.n; v++) {
		uint32_t i = 0, size = 0;
		while (i < t->n_inputs && s->path.import.sources[i] != s->pool.vars[v].source)
			i++;
		if (!s->care.masks[v] || i == t->n_inputs || input_is_number(trace_input_type(t, i)))
			continue;
		const uint8_t *data = trace_input_data(t, i, &size);
		if (data && input_is_string(trace_input_type(t, i)))
			size = (uint32_t)strnlen((const char *)data, size);
		n += s->pool.vars[v].offset < size;
	}
	return n;
}

// A graph of thousands of nodes is not made when its share of the time is nearly used up: to know something of all
// inputs is worth more than to know all of some.
static enum care_method care_method(const struct job *j)
{
	enum { ENOUGH_US = 20000 };
	return j->care_us < ENOUGH_US ? CARE_HASTY : CARE_DEFAULT;
}

static void report_masks(struct worker_state *s, struct result *r)
{
	input_copy(&r->whole, &s->seen);
	apply_objects(&r->whole, &s->path);
	apply_masks(&r->masks, &r->whole, &s->path, s->care.masks, s->care.n, s->setup->sym);
	worker_name_again(s, &r->whole);
	worker_name_again(s, &r->masks);
}

void worker_find_care(struct worker_state *s, const struct job *j, struct result *r)
{
	uint64_t from = worker_clock();
	worker_prepare_solving(s);
	struct query q = path_kept(&s->path, s->trace.n_events, false, s->path.import.seed);
	const uint64_t limit = s->env.nanoseconds, share = 1000 * (uint64_t)j->care_us;
	s->env.nanoseconds = limit && limit < share ? limit : share;
	bool known = care_find(&s->care, s->care_solver, q.conditions, q.n, q.seed, care_method(j));
	s->env.nanoseconds = limit;
	if (known) {
		r->care = count_care(s);
		r->care_of = (int32_t)size_of_input(&s->input);
		if (j->flags & JOB_MASKS)
			report_masks(s, r);
	}
	r->us_care += worker_clock() - from;
}
