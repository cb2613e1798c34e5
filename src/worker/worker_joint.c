// Both versions on one path each, with the same made-up state: is there another state, on these two paths, after which
// they leave something else? And which states take the other version off its path, while this one stays on its own?
//
// Traces of both are in one pool, where inputs of one name are one variable. Of all pairs of paths that the search
// comes to in this way, each is found to agree (unsat) or gives an input on which the versions differ: when nothing was
// left open, the two functions are the same.
#include "worker/joint.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "coverage/cover.h"
#include "findings/twins.h"
#include "input/fragment.h"
#include "path/apply.h"

enum { OWN = JOINT_OWN, OTHER = JOINT_OTHER, SIDES = JOINT_SIDES, QUERIES = 64 };

// --- runs -----------------------------------------------------------------------------------------

void joint_release(struct joint *j)
{
	for (int i = 0; i < SIDES; i++) {
		input_release(&j->in[i]);
		buf_release(&j->memory[i]);
		left_release(&j->side[i].left);
	}
}

static int run(struct joint *j, int side, struct executor *e, struct err *err)
{
	struct agreement_side *a = &j->side[side];
	struct observation seen = {0};
	e->labels = true;
	int r = executor_run(e, &j->in[side], j->s->setup->milliseconds, &a->run, err);
	e->labels = false;
	if (r < 0 || trace_take(e->trace, e->trace_size, &j->memory[side], &a->trace, err) < 0)
		return -1;
	observation_take(&seen, e, &a->run);
	a->printed = seen.known == OUTPUT_BYTES && seen.output.len;
	observation_release(&seen);
	left_read(&a->left, e);
	cover_clear(e->cover, e->cover_size);
	return 0;
}

int joint_run(struct joint *ret, struct worker_state *s, const struct input *in, struct err *err)
{
	const struct worker_setup *setup = s->setup;
	uint32_t number;
	*ret = (struct joint){.s = s};
	if (!setup->twins || !setup->versions || !twins_find(setup->twins, s->program, in, &number, &ret->convert) ||
	    !twins_convert(setup->twins, s->program, in, &ret->in[OTHER]))
		return err_set(err, "the coordinator sent a malformed job");
	ret->convert = twins_pair(setup->twins, number, 0);
	input_copy(&ret->in[OWN], in);
	worker_forget_run(s);
	struct executor *other = executors_get(&s->executors, &setup->programs[!s->program].target,
	                                       setup->traced ? setup->traced : "explored", err);
	if (!other || run(ret, OWN, s->explored, err) < 0 || run(ret, OTHER, other, err) < 0)
		return -1;
	return 0;
}

uint32_t joint_differs(struct joint *j, bool *ret_open)
{
	bool is_old = j->s->program == 0;
	return agreement_differs(&j->side[is_old ? OWN : OTHER], &j->side[is_old ? OTHER : OWN], &j->convert, ret_open);
}

// --- the same state -------------------------------------------------------------------------------

static void add_cells(struct input *in, const struct trace *t)
{
	for (uint32_t i = 0; i < t->n_inputs; i++) {
		uint32_t size = 0;
		struct input_source source = trace_input_source(t, i);
		if (source.type.kind != INPUT_CELL || source.type.role != INPUT_BYTES || !trace_input_data(t, i, &size))
			continue;
		struct input_part *p = input_find(in, INPUT_CELL, source.name);
		if (!p)
			p = input_add(in, INPUT_CELL, source.name, NULL, 0);
		while (p->data.len < size)
			buf_addch(&p->data, 0);
	}
}

bool joint_is_one_state(const struct joint *j)
{
	struct input in = {0};
	input_copy(&in, &j->in[OWN]);
	for (int side = 0; side < SIDES; side++)
		add_cells(&in, &j->side[side].trace);
	bool one = twins_is_one_state(j->s->setup->twins, j->s->program, &in);
	input_release(&in);
	return one;
}

// Made-up strings are short.
static bool has_strings(const struct joint *j)
{
	struct input in = {0};
	input_copy(&in, &j->in[OWN]);
	for (int side = 0; side < SIDES; side++)
		add_cells(&in, &j->side[side].trace);
	bool has = twins_has_strings(j->s->setup->twins, j->s->program, &in);
	input_release(&in);
	return has;
}

// --- seeds ----------------------------------------------------------------------------------------

struct joining {
	struct worker_state *s;
	const struct job *job;
	struct joint joint;
	struct condition_list conditions;
	uint8_t *seed;
	uint64_t until; // by worker_clock
	struct result *result;
};

static bool has_source(const struct agreement_side *side, uint32_t source)
{
	for (uint32_t i = 0; i < side->trace.n_inputs; i++)
		if (side->import.sources[i] == source)
			return true;
	return false;
}

// The values that both runs had. False: a global that is as it was begins with another value.
static bool read_seed(struct joining *q)
{
	const struct expr_pool *pool = &q->s->pool;
	q->seed = mem_zero(pool->n_vars + 1);
	for (int side = 0; side < SIDES; side++)
		import_cover(&q->joint.side[side].import);
	for (uint32_t v = 0; v < pool->n_vars; v++) {
		bool has[SIDES];
		for (int side = 0; side < SIDES; side++)
			has[side] = has_source(&q->joint.side[side], pool->vars[v].source);
		uint8_t own = q->joint.side[OWN].import.seed[v], other = q->joint.side[OTHER].import.seed[v];
		if (has[OWN] && has[OTHER] && own != other)
			return false;
		q->seed[v] = has[OWN] ? own : other;
	}
	return true;
}

// --- queries --------------------------------------------------------------------------------------

static void take_solution(struct joining *q, uint32_t next)
{
	struct worker_state *s = q->s;
	struct result *r = q->result;
	struct input own = {0};
	const struct path other = {.import = q->joint.side[OTHER].import};
	r->answers = mem_resize(r->answers, (r->n_answers + 1) * sizeof *r->answers);
	struct result_answer *a = &r->answers[r->n_answers];
	*a = (struct result_answer){.answer = ANSWER_SAT, .event = next};
	a->changed = apply_model(&own, &s->seen, &s->path, &s->model);
	apply_model(&a->input, &own, &other, &s->model); // what only the other version came to
	worker_name_again(s, &a->input);
	input_release(&own);
	r->n_answers++;
}

// The conditions, the first `kept` of which stay, and one more.
static enum answer ask(struct joining *q, uint32_t kept, uint32_t condition)
{
	struct worker_state *s = q->s;
	q->conditions.n = kept;
	condition_list_add(&q->conditions, condition);
	const struct query query = {.conditions = q->conditions.ids, .n = q->conditions.n, .seed = q->seed};
	enum answer answer = solver_solve(s->solver, &query, &s->model);
	q->conditions.n = kept;
	q->result->calls++;
	q->result->refuted += answer == ANSWER_UNSAT;
	q->result->open |= answer == ANSWER_UNKNOWN;
	return answer;
}

// States on either side of what the other version decides next, from the event on that the job names: those before it
// are another pair's.
static void ask_alternatives(struct joining *q)
{
	struct agreement_side *other = &q->joint.side[OTHER];
	struct expr_pool *pool = &q->s->pool;
	uint32_t kept = q->conditions.n, queries = 0;
	for (uint32_t i = 0; i < other->trace.n_events; i++) {
		const struct trace_event *e = &other->trace.events[i];
		uint32_t c = trace_is_condition(e) ? import_condition(&other->import, i) : 0, n = 0;
		if (!c)
			continue;
		bool decides = e->kind == EVENT_BRANCH || e->kind == EVENT_SELECT || e->kind == EVENT_SWITCH;
		const struct trace_case *cases = e->kind == EVENT_SWITCH ? trace_cases(&other->trace, e, &n) : NULL;
		for (uint32_t k = 0; decides && i >= q->job->round && k < n + 1; k++) {
			uint64_t target = k < n ? cases[k].target : 0;
			bool again = cases && target == trace_target(&other->trace, e);
			for (uint32_t m = 0; m < k && k < n && !again; m++)
				again = cases[m].target == target;
			if (again)
				continue;
			if (queries++ == QUERIES || worker_clock() > q->until) {
				q->result->open = true;
				return;
			}
			uint32_t there = cases ? import_goes_to(&other->import, e, target) : expr_not(pool, c);
			if (ask(q, kept, there) == ANSWER_SAT)
				take_solution(q, i + 1);
		}
		condition_list_add(&q->conditions, c);
		kept = q->conditions.n;
	}
}

static void solve(struct joining *q)
{
	struct worker_state *s = q->s;
	uint64_t from = worker_clock();
	bool open = false;
	worker_prepare_solving(s);
	struct agreement_side *own = &q->joint.side[OWN], *other = &q->joint.side[OTHER];
	import_init(&other->import, &s->pool, &other->trace);
	own->import = s->path.import;
	uint32_t differs = joint_differs(&q->joint, &open);
	for (uint32_t i = 0; i < own->import.n_always; i++)
		condition_list_add(&q->conditions, own->import.always[i]);
	agreement_path(own, own->trace.n_events, &q->conditions);
	bool one = read_seed(q);
	s->path.import = own->import; // the seed may have moved
	q->result->open |= has_strings(&q->joint);
	q->result->open |= open || !one || !agreement_is_clear(own) || !agreement_is_clear(other);
	if (one) {
		q->until = q->job->milliseconds ? from + 1000 * (uint64_t)q->job->milliseconds : UINT64_MAX;
		ask_alternatives(q);
		if (differs && ask(q, q->conditions.n, differs) == ANSWER_SAT) {
			q->result->open = true; // unless the versions show it
			take_solution(q, other->trace.n_events);
		}
	}
	q->result->us_solve = worker_clock() - from;
}

// The old version says what is possible: where it follows a null pointer, nobody comes. Where it leaves its made-up
// objects, larger ones may be possible, which leaves that open.
static bool is_possible(const struct agreement_side *old, bool *ret_open)
{
	bool faults = old->run.end == RUN_SIGNAL, follows = old->run.code == SIGSEGV || old->run.code == SIGBUS;
	*ret_open = faults ? !follows : old->run.end != RUN_EXITED || old->left.end == LEFT_BY_CUT;
	for (uint32_t i = 0; i < old->trace.n_events && faults; i++)
		*ret_open |= old->trace.events[i].kind == EVENT_CONCRETE;
	return !faults && old->run.end == RUN_EXITED && old->left.end != LEFT_BY_CUT;
}

int worker_join(struct worker_state *s, const struct job *job, struct result *r, struct err *err)
{
	struct joining q = {.s = s, .job = job, .result = r};
	uint64_t from = worker_clock();
	bool open = false;
	assert(!r->answers);
	int result = joint_run(&q.joint, s, &job->input, err);
	r->us_run = worker_clock() - from;
	if (result == 0 && is_possible(&q.joint.side[s->program == 0 ? OWN : OTHER], &open)) {
		s->run = q.joint.side[OWN].run;
		s->trace = q.joint.side[OWN].trace;
		worker_note_input(s, job);
		if (joint_is_one_state(&q.joint))
			solve(&q);
		else
			open = true;
	}
	r->open |= open;
	worker_forget_run(s); // no later job uses its path
	import_release(&q.joint.side[OTHER].import);
	condition_list_release(&q.conditions);
	mem_free(q.seed);
	joint_release(&q.joint);
	return result;
}
