// Findings of runs with made-up state (level possible): what of the state they need, and whether a whole run can be led
// there.
//
// The precondition is the path of the finding's run up to the error, as conditions on the bytes of its cells. A whole
// run is probed (runtime/fragment/probe.c): where it calls the function, the trace has what each of these bytes is
// there, as a value or as an expression over the run's own input. With that in place of the cells' bytes, the path of
// the whole run up to the call and the precondition are one query; its solution is an input of the program.
#include "worker/joint.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "coverage/cover.h"
#include "expr/import.h"
#include "expr/replace.h"
#include "expr/simplify.h"
#include "expr/tape.h"
#include "expr/trace.h"
#include "input/fragment.h"
#include "path/apply.h"
#include "path/blame.h"

// The run that has the finding.
struct needing {
	struct buf memory;
	struct trace trace;
	struct blame blame;
	uint32_t end;       // the first event that is no part of it
	struct input whole; // its input, with all cells that it came to
};

static void release(struct needing *n)
{
	buf_release(&n->memory);
	input_release(&n->whole);
}

// The input may have less of a cell than the run made of it; a run may take a byte for another one.
static void set_cell(struct input *in, const char *name, const uint8_t *data, uint32_t size)
{
	struct input_part *p = input_find(in, INPUT_CELL, name);
	if (!p)
		p = input_add(in, INPUT_CELL, name, NULL, 0);
	size_t had = p->data.len;
	for (size_t i = had; i < size; i++)
		buf_addch(&p->data, 0);
	for (uint32_t i = 0; i < size; i++)
		if (data[i] || had >= size)
			p->data.data[i] = (char)data[i];
}

static void add_cells(struct needing *n, const struct trace *t)
{
	for (uint32_t i = 0; i < t->n_inputs; i++) {
		uint32_t size = 0;
		struct input_source s = trace_input_source(t, i);
		const uint8_t *data = s.type.role == INPUT_BYTES ? trace_input_data(t, i, &size) : NULL;
		if (s.type.kind == INPUT_CELL && data)
			set_cell(&n->whole, s.name, data, size);
	}
}

// Runs in place of the last one. `in`: enters a fragment.
static int run_needing(struct worker_state *s, const struct job *j, const struct input *in, struct needing *ret,
                       struct err *err)
{
	struct run_result run;
	worker_forget_run(s);
	*ret = (struct needing){0};
	if (executor_run(s->explored, in, j->run_ms ? j->run_ms : s->setup->milliseconds, &run, err) < 0 ||
	    trace_take(s->explored->trace, s->explored->trace_size, &ret->memory, &ret->trace, err) < 0)
		return -1;
	cover_clear(s->explored->cover, s->explored->cover_size);
	ret->blame = blame_find(&ret->trace, j->file ? j->file : "", j->line, j->stack ? j->stack : "");
	ret->end = ret->blame.event < ret->trace.n_events ? ret->blame.end : ret->trace.n_events;
	input_copy(&ret->whole, in);
	add_cells(ret, &ret->trace);
	return 0;
}

// Of two versions: the run of this one, with what the other one comes to.
static int run_joint(struct worker_state *s, const struct job *j, struct needing *ret, struct joint *joint,
                     struct err *err)
{
	*ret = (struct needing){0};
	if (joint_run(joint, s, &j->seed, err) < 0)
		return -1;
	ret->trace = joint->side[JOINT_OWN].trace;
	ret->end = ret->blame.event = ret->trace.n_events;
	input_copy(&ret->whole, &j->seed);
	for (int side = 0; side < JOINT_SIDES; side++)
		add_cells(ret, &joint->side[side].trace);
	return 0;
}

// What of its path must hold. That accesses lie in cells, and what functions of the system return, is assumed.
static void collect(struct import *im, const struct needing *n, struct condition_list *ret)
{
	for (uint32_t i = 0; i < n->end; i++) {
		const struct trace_event *e = &n->trace.events[i];
		bool fails = e->kind == EVENT_CHECK && i >= n->blame.event && !trace_value(e);
		bool holds = trace_is_condition(e) && e->kind != EVENT_WITHIN;
		uint32_t c = holds || fails ? import_condition(im, i) : 0;
		if (c)
			condition_list_add(ret, c);
	}
}

// --- what it needs --------------------------------------------------------------------------------

// The bytes that what goes wrong is about: of the check that fails, or of the address.
static bool find_subject(const struct import *im, const struct needing *n, bool *vars)
{
	bool any = false;
	for (uint32_t i = n->blame.begin; i < n->end; i++) {
		const struct trace_event *e = &n->trace.events[i];
		bool about = (e->kind == EVENT_CHECK && !trace_value(e)) || e->kind == EVENT_CONCRETE;
		if (!about || !e->label)
			continue;
		replace_find_vars(im->pool, im->exprs[e->label], vars);
		any = true;
	}
	return any;
}

// Does a decision before it test one of these bytes? Where a pointer leads is no such decision.
static bool is_tested(struct import *im, const struct needing *n, const bool *subject)
{
	bool *vars = mem_zero(((size_t)im->pool->n_vars + 1) * sizeof *vars), found = false;
	for (uint32_t i = 0; i < n->blame.begin; i++) {
		const struct trace_event *e = &n->trace.events[i];
		if (e->label && (e->kind == EVENT_BRANCH || e->kind == EVENT_SELECT || e->kind == EVENT_SWITCH))
			replace_find_vars(im->pool, im->exprs[e->label], vars);
	}
	for (uint32_t v = 0; v < im->pool->n_vars; v++)
		found |= vars[v] && subject[v];
	mem_free(vars);
	return found;
}

static uint32_t facts_of(const struct needing *n)
{
	struct expr_pool pool;
	struct import im;
	uint32_t facts = 0;
	expr_pool_init(&pool);
	import_init(&im, &pool, &n->trace);
	bool *subject = mem_zero(((size_t)pool.n_vars + 1) * sizeof *subject);
	bool any = n->blame.event < n->trace.n_events && find_subject(&im, n, subject);
	facts |= any ? FACT_SUBJECT : 0u;
	facts |= any && !is_tested(&im, n, subject) ? FACT_UNCHECKED : 0u;
	facts |= n->trace.n_events && n->trace.events[n->trace.n_events - 1].kind == EVENT_BEYOND ? FACT_BEYOND : 0u;
	mem_free(subject);
	import_release(&im);
	expr_pool_release(&pool);
	return facts;
}

static void set_masks(struct input *masks, const struct needing *n, const struct blamed_bytes *bytes)
{
	for (size_t i = 0; i < masks->n; i++)
		if (masks->v[i].kind != INPUT_FRAGMENT && masks->v[i].data.len)
			memset(masks->v[i].data.data, 0, masks->v[i].data.len);
	for (uint32_t i = 0; i < bytes->n; i++) {
		struct input_part *p = bytes->masks[i] ? input_part_of(masks, trace_input_source(&n->trace, i)) : NULL;
		if (p)
			memcpy(p->data.data, bytes->masks[i],
			       p->data.len < bytes->sizes[i] ? p->data.len : bytes->sizes[i]);
	}
}

int worker_find_precondition(struct worker_state *s, const struct job *j, struct result *r, struct err *err)
{
	struct needing n;
	struct blamed_bytes bytes;
	int result = run_needing(s, j, &j->input, &n, err);
	if (result == 0) {
		r->facts = facts_of(&n);
		input_copy(&r->whole, &n.whole);
		input_copy(&r->masks, &n.whole);
		if (blame_bytes(&bytes, &n.trace, n.blame)) {
			r->facts |= FACT_RELEVANT;
			set_masks(&r->masks, &n, &bytes);
			blamed_bytes_release(&bytes);
		}
	}
	release(&n);
	return result;
}

// --- a whole run ----------------------------------------------------------------------------------

// The whole run's input, with what is to be probed.
static void add_probes(struct input *ret, const struct input *whole, const struct input *cells)
{
	input_copy(ret, whole);
	for (size_t i = 0; i < cells->n; i++) {
		const struct input_part *p = &cells->v[i];
		if (p->kind != INPUT_CELL && p->kind != INPUT_FRAGMENT)
			continue;
		struct input_part *own = input_add(ret, p->kind, p->name, p->data.data, p->data.len);
		if (p->kind == INPUT_FRAGMENT) {
			const uint64_t magic = FRAGMENT_PROBE_MAGIC;
			memcpy(own->data.data, &magic, sizeof magic);
		}
	}
}

static void drop_probes(struct input *in)
{
	for (size_t i = in->n; i-- > 0;)
		if (in->v[i].kind == INPUT_CELL || in->v[i].kind == INPUT_FRAGMENT)
			input_remove(in, i);
}

static int run_probed(struct worker_state *s, const struct job *j, const struct needing *n, struct result *r,
                      struct err *err)
{
	struct input in = {0};
	uint64_t from = worker_clock();
	add_probes(&in, &j->input, &n->whole);
	int result = executor_run(s->explored, &in, j->run_ms ? j->run_ms : s->setup->milliseconds, &s->run, err);
	input_release(&in);
	if (result < 0 || trace_take(s->explored->trace, s->explored->trace_size, &s->taken, &s->trace, err) < 0)
		return -1;
	cover_clear(s->explored->cover, s->explored->cover_size);
	r->us_run = worker_clock() - from;
	worker_note_input(s, j);
	return 0;
}

// --- a call ---------------------------------------------------------------------------------------

struct calling {
	struct worker_state *s;
	const struct needing *needing;
	struct joint *joint; // of two versions; NULL: there is one
	struct import need;  // into the pool of the whole run's path
	struct condition_list conditions;
};

// The input of the trace that a cell of the n-th call is.
static uint32_t find_probed(const struct trace *t, uint32_t call, const char *cell)
{
	char prefix[16];
	int n = snprintf(prefix, sizeof prefix, "%u!", call);
	for (uint32_t i = 0; i < t->n_inputs; i++) {
		struct input_source s = trace_input_source(t, i);
		if (s.type.kind == INPUT_CELL && strncmp(s.name, prefix, (size_t)n) == 0 &&
		    strcmp(s.name + n, cell) == 0)
			return i;
	}
	return t->n_inputs;
}

// What a byte of a cell is in the call that begins at the event; 0: not known.
static uint32_t probed_byte(const struct calling *c, uint32_t event, uint32_t input, uint32_t offset)
{
	const struct trace *t = &c->s->trace;
	uint32_t size = 0;
	const uint8_t *data = input < t->n_inputs ? trace_input_data(t, input, &size) : NULL;
	if (!data || offset >= size)
		return 0;
	for (uint32_t i = event + 1; i < t->n_events; i++) {
		const struct trace_event *e = &t->events[i];
		if (e->kind != EVENT_PROBED && e->kind != EVENT_INPUT)
			break;
		if (e->kind == EVENT_PROBED && e->label && e->cell.input == input && e->cell.size == offset)
			return c->s->path.import.exprs[e->label];
	}
	return expr_const(&c->s->pool, 8, data[offset]);
}

// `with`: by variable, what it is in the call.
static void put_cells(const struct calling *c, uint32_t event, const struct trace *t, const uint32_t *sources,
                      uint32_t *with)
{
	const struct expr_pool *pool = &c->s->pool;
	const uint32_t n_vars = pool->n_vars, call = c->s->trace.events[event].cell.size;
	for (uint32_t i = 0; i < t->n_inputs; i++) {
		struct input_source of = trace_input_source(t, i);
		uint32_t probed =
			of.type.kind == INPUT_CELL ? find_probed(&c->s->trace, call, of.name) : c->s->trace.n_inputs;
		for (uint32_t v = 0; v < n_vars; v++)
			if (sources[i] == pool->vars[v].source)
				with[v] = probed_byte(c, event, probed, pool->vars[v].offset);
	}
}

static void replace_cells(const struct calling *c, uint32_t event, struct replace *ret)
{
	struct expr_pool *pool = &c->s->pool;
	const struct trace *t = &c->needing->trace;
	const uint32_t n_vars = pool->n_vars;
	uint32_t *with = mem_zero((n_vars + 1) * sizeof *with);
	put_cells(c, event, t, c->need.sources, with);
	if (c->joint) // what only the other version comes to
		put_cells(c, event, &c->joint->side[JOINT_OTHER].trace, c->joint->side[JOINT_OTHER].import.sources,
		          with);
	replace_init(ret, pool);
	for (uint32_t v = 0; v < n_vars; v++)
		if (with[v] && expr_width(pool, with[v]) == 8)
			replace_set(ret, v, with[v]);
	mem_free(with);
}

// Does the finding's run depend on more than cells? That is the same in the whole run, if nobody read it before: a
// solution is worth a run, but there being none says nothing.
static bool is_of_more(const struct calling *c)
{
	const struct expr_pool *pool = &c->s->pool;
	bool *vars = mem_zero(((size_t)pool->n_vars + 1) * sizeof *vars), more = false;
	for (uint32_t i = 0; i < c->conditions.n; i++)
		replace_find_vars(pool, c->conditions.ids[i], vars);
	for (uint32_t v = 0; v < pool->n_vars; v++)
		more |= vars[v] && pool->sources[pool->vars[v].source].type.kind != INPUT_CELL;
	mem_free(vars);
	return more;
}

// `path`: and the run comes to the call as it did. Without that, a solution near the run's input often comes there,
// too.
static enum answer solve_there(struct worker_state *s, uint32_t event, const struct condition_list *there, bool path)
{
	struct condition_list *list = &s->path.conditions;
	if (path)
		path_whole(&s->path, event, false);
	else
		list->n = 0;
	for (uint32_t i = 0; i < s->path.import.n_always && !path; i++)
		condition_list_add(list, s->path.import.always[i]);
	for (uint32_t i = 0; i < there->n; i++)
		condition_list_add(list, there->ids[i]);
	import_cover(&s->path.import);
	const struct query q = {.conditions = list->ids, .n = list->n, .seed = s->path.import.seed};
	return solver_solve(s->solver, &q, &s->model);
}

// Can the precondition hold in this call? A state that contradicts it is unsat without a query.
static enum answer solve_call(struct calling *c, uint32_t event)
{
	struct worker_state *s = c->s;
	struct replace replace;
	struct condition_list there = {0};
	bool refuted = false;
	replace_cells(c, event, &replace);
	for (uint32_t i = 0; i < c->conditions.n && !refuted; i++) {
		uint32_t x = replace_in(&replace, c->conditions.ids[i]);
		bool constant = expr_is_const(&s->pool, x);
		refuted = constant && !expr_value(&s->pool, x);
		if (!constant)
			condition_list_add(&there, x);
	}
	enum answer answer = refuted ? ANSWER_UNSAT : solve_there(s, event, &there, true);
	if (!refuted && answer == ANSWER_UNSAT)
		answer = solve_there(s, event, &there, false);
	condition_list_release(&there);
	replace_release(&replace);
	return answer;
}

// Does the call have a state that takes the finding's path, with everything that is known of it?
static bool is_there_already(struct calling *c, uint32_t event)
{
	struct worker_state *s = c->s;
	struct replace replace;
	struct tape tape;
	bool holds = c->conditions.n > 0; // something must tell it from others
	replace_cells(c, event, &replace);
	tape_init(&tape, &s->pool);
	uint32_t *steps = mem_zero((c->conditions.n + 1) * sizeof *steps);
	for (uint32_t i = 0; i < c->conditions.n; i++)
		steps[i] = tape_add(&tape, replace_in(&replace, c->conditions.ids[i]));
	import_cover(&s->path.import);
	tape_load(&tape, s->path.import.seed);
	tape_run(&tape);
	for (uint32_t i = 0; i < c->conditions.n && holds; i++)
		holds = tape.values[steps[i]] & 1;
	mem_free(steps);
	tape_release(&tape);
	replace_release(&replace);
	return holds;
}

// The state of the call as an input that enters the function: it is one that the program has.
static void take_state(const struct calling *c, uint32_t event, struct result *r)
{
	const struct trace *t = &c->s->trace;
	r->answers = mem_resize(r->answers, (r->n_answers + 1) * sizeof *r->answers);
	struct result_answer *a = &r->answers[r->n_answers++];
	*a = (struct result_answer){.answer = ANSWER_SAT, .event = event};
	input_copy(&a->input, &c->needing->whole);
	for (size_t i = 0; i < a->input.n; i++) {
		struct input_part *p = &a->input.v[i];
		uint32_t size = 0, from = t->n_inputs;
		if (p->kind == INPUT_CELL)
			from = find_probed(t, t->events[event].cell.size, p->name ? p->name : "");
		const uint8_t *data = from < t->n_inputs ? trace_input_data(t, from, &size) : NULL;
		if (data)
			memcpy(p->data.data, data, size < p->data.len ? size : p->data.len);
	}
}

static void take_solution(struct worker_state *s, uint32_t event, struct result *r)
{
	r->answers = mem_resize(r->answers, (r->n_answers + 1) * sizeof *r->answers);
	struct result_answer *a = &r->answers[r->n_answers];
	*a = (struct result_answer){.answer = ANSWER_SAT, .event = event};
	a->changed = apply_model(&a->input, &s->seen, &s->path, &s->model);
	drop_probes(&a->input);
	worker_name_again(s, &a->input);
	if (worker_is_too_large(s, &a->input))
		input_release(&a->input);
	else
		r->n_answers++;
}

// And the other version takes its path, and leaves something else.
static void collect_difference(struct calling *c)
{
	struct joint *joint = c->joint;
	struct agreement_side *other = &joint->side[JOINT_OTHER];
	bool open;
	if (!joint_is_one_state(joint)) {
		c->joint = NULL;
		return;
	}
	import_init(&other->import, &c->s->pool, &other->trace);
	joint->side[JOINT_OWN].import = c->need;
	const struct needing n = {
		.trace = other->trace, .end = other->trace.n_events, .blame.event = other->trace.n_events};
	collect(&other->import, &n, &c->conditions);
	uint32_t differs = joint_differs(joint, &open);
	if (differs)
		condition_list_add(&c->conditions, differs);
}

static void solve_calls(struct worker_state *s, const struct needing *n, struct joint *joint, struct result *r)
{
	uint64_t from = worker_clock();
	struct calling c = {.s = s, .needing = n, .joint = joint};
	worker_prepare_solving(s);
	import_init(&c.need, &s->pool, &n->trace);
	collect(&c.need, n, &c.conditions);
	if (joint)
		collect_difference(&c);
	bool more = is_of_more(&c);
	for (uint32_t i = 0; i < s->trace.n_events; i++) {
		const struct trace_event *e = &s->trace.events[i];
		if (e->kind != EVENT_PROBED || e->label)
			continue;
		enum answer answer = solve_call(&c, i);
		r->calls++;
		r->refuted += answer == ANSWER_UNSAT && !more;
		if (s->setup->versions && is_there_already(&c, i))
			take_state(&c, i, r);
		if (answer == ANSWER_SAT)
			take_solution(s, i, r);
	}
	condition_list_release(&c.conditions);
	if (joint)
		import_release(&joint->side[JOINT_OTHER].import);
	import_release(&c.need);
	r->us_solve = worker_clock() - from;
}

int worker_lift(struct worker_state *s, const struct job *j, struct result *r, struct err *err)
{
	struct needing n;
	struct fragment entered;
	assert(!r->answers);
	if (!fragment_of(&j->seed, &entered) || entered.marker || fragment_name(&j->input))
		return err_set(err, "the coordinator sent a malformed job");
	struct joint joint = {0};
	const bool both = s->setup->versions;
	int result = both ? run_joint(s, j, &n, &joint, err) : run_needing(s, j, &j->seed, &n, err);
	if (result == 0)
		result = run_probed(s, j, &n, r, err);
	if (result == 0)
		solve_calls(s, &n, both ? &joint : NULL, r);
	worker_forget_run(s); // no later job uses its path
	release(&n);
	joint_release(&joint);
	return result;
}
