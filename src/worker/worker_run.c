// Runs inputs: the program of the job as its variants, in its snapshot, with its windows.
#include "worker/worker_internal.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "expr/trace.h"
#include "input/fragment.h"
#include "solver/solver.h"
#include "worker/compare.h"

enum { EVENTS_EACH = 16 }; // events are recorded for each decision that is analysed: most decisions are one or two

uint64_t worker_clock(void)
{
	return clock_nanoseconds() / 1000;
}

const struct target *worker_target(const struct worker_state *s)
{
	assert(s->program < s->setup->n_programs);
	return &s->setup->programs[s->program].target;
}

uint64_t worker_root(const struct worker_state *s)
{
	return worker_target(s)->root ^ s->scope ^ fragment_name(&s->input);
}

// --- names of files -------------------------------------------------------------------------------

void worker_see_names(const struct worker_state *s, struct input *seen, const struct input *in)
{
	input_release(seen);
	input_copy(seen, in);
	for (size_t i = 0; i < seen->n; i++) {
		if (seen->v[i].kind != INPUT_FILE)
			continue;
		char *name = sandbox_path(&s->sandbox, seen->v[i].name);
		mem_free(seen->v[i].name);
		seen->v[i].name = name;
	}
}

// The user's name of a file; NULL: it is the same.
static char *user_name(const struct worker_state *s, const char *name)
{
	for (size_t i = 0; i < s->seen.n; i++)
		if (s->seen.v[i].kind == INPUT_FILE && strcmp(s->seen.v[i].name, name) == 0)
			return mem_strdup(s->input.v[i].name);
	size_t n = strlen(s->sandbox.cwd);
	bool is_below = strncmp(name, s->sandbox.cwd, n) == 0 && name[n] == '/';
	return is_below ? mem_printf("%s%s", s->setup->cwd, name + n) : NULL;
}

void worker_name_again(const struct worker_state *s, struct input *made)
{
	for (size_t i = 0; i < made->n; i++) {
		char *name = made->v[i].kind == INPUT_FILE ? user_name(s, made->v[i].name) : NULL;
		if (!name)
			continue;
		mem_free(made->v[i].name);
		made->v[i].name = name;
	}
}

// --- running --------------------------------------------------------------------------------------

void worker_forget_path(struct worker_state *s)
{
	if (s->has_path)
		path_leave(&s->path);
	s->has_path = false;
}

void worker_forget_run(struct worker_state *s)
{
	worker_forget_path(s);
	s->ran = false;
}

void worker_note_input(struct worker_state *s, const struct job *j)
{
	s->ran = true;
	s->id = j->id;
	s->with = j->scope;
	input_release(&s->input);
	input_copy(&s->input, &j->input);
	worker_see_names(s, &s->seen, &s->input);
}

// Names the trace: of the input, of what was symbolic, and of the version that ran it.
static uint64_t trace_number(const struct worker_state *s, const struct job *j)
{
	return hash_mix(hash_mix(j->id, j->scope), s->program);
}

// It ran before, and nothing but its trace is wanted.
static bool recall(struct worker_state *s, const struct job *j)
{
	const struct trace *t = j->flags & (JOB_PATH | JOB_TRACE) ? NULL : traces_find(&s->traces, trace_number(s, j));
	if (!t)
		return false;
	worker_forget_path(s);
	s->trace = *t;
	s->run = (struct run_result){0};
	worker_note_input(s, j);
	return true;
}

// Otherwise nothing is asked for but what is analysed of the trace.
static bool needs_whole(const struct job *j)
{
	return (j->flags & JOB_TRACE) || ((j->flags & JOB_PATH) && !(j->flags & JOB_HEAD));
}

static bool ran_already(const struct worker_state *s, const struct job *j)
{
	bool is_same = s->ran && s->id == j->id && s->with == j->scope;
	return is_same && !(j->flags & JOB_TRACE) && (s->whole || !needs_whole(j));
}

// Records what is analysed, and not more: of decisions one more, which shows that there are more. Where only some
// checks are wanted, events are counted, each of which may be one that is not.
static int run_explored(struct worker_state *s, const struct job *j, struct err *err)
{
	struct executor *e = s->explored;
	const bool exact = !s->setup->filter && !fragment_name(&j->input) && !(j->flags & JOB_TRACE);
	e->most_events = EVENTS_EACH * s->setup->decisions;
	e->most_decisions = exact ? s->setup->decisions + 1 : 0;
	e->head = !needs_whole(j) && !fragment_name(&j->input);
	int r = executor_run(e, &j->input, j->run_ms ? j->run_ms : s->setup->milliseconds, &s->run, err);
	e->most_events = e->most_decisions = 0;
	e->head = false;
	return r;
}

int worker_run(struct worker_state *s, const struct job *j, struct result *r, struct err *err)
{
	if (ran_already(s, j) || recall(s, j))
		return 0;
	uint64_t from = worker_clock();
	assert(s->explored && s->explored->setup.want_trace);
	worker_forget_run(s);
	if (run_explored(s, j, err) < 0)
		return -1;
	r->us_run = worker_clock() - from;
	// A run that was killed before it came to main left none.
	static const struct trace_header nothing;
	struct err none;
	if (trace_take(s->explored->trace, s->explored->trace_size, &s->taken, &s->trace, &none) < 0)
		s->trace = (struct trace){.header = &nothing, .n_nodes = 1};
	worker_note_input(s, j);
	s->whole = needs_whole(j);
	traces_add(&s->traces, trace_number(s, j), &s->trace);
	assert(s->trace.header && s->trace.n_nodes && s->seen.n == s->input.n);
	return 0;
}

// --- the program and its surroundings ---------------------------------------------------------------

void worker_stop_program(struct worker_state *s)
{
	if (s->program == UINT32_MAX)
		return;
	worker_forget_run(s);
	executors_stop(&s->executors);
	s->explored = NULL;
	tree_release(&s->places); // another program may be wanted where this one is not
	tree_init(&s->places, WORKER_REPORTED_MAX);
	s->program = UINT32_MAX;
}

static void leave_version(struct worker_state *s)
{
	worker_forget_run(s);
	tree_release(&s->places);
	tree_init(&s->places, WORKER_REPORTED_MAX);
}

static int start_program(struct worker_state *s, uint32_t program, struct err *err)
{
	if (s->program == program)
		return 0;
	if (program >= s->setup->n_programs)
		return err_set(err, "the coordinator sent a malformed job");
	if (s->setup->versions) // the other one's stay for the oracle, and for the next input
		leave_version(s);
	else
		worker_stop_program(s);
	s->explored = executors_get(&s->executors, &s->setup->programs[program].target,
	                            s->setup->traced ? s->setup->traced : "explored", err);
	if (!s->explored)
		return -1;
	s->program = program;
	return 0;
}

static int enter_snapshot(struct worker_state *s, const struct job *j, struct err *err)
{
	if (j->snapshot == s->snapshot)
		return 0;
	executors_set_snapshot(&s->executors, NULL, NULL);
	if (s->around)
		snapshot_release(&s->decoded);
	s->around = NULL;
	s->snapshot = j->snapshot;
	if (j->snapshot && snapshot_decode(&s->decoded, j->around.data, j->around.len, err) < 0)
		return -1;
	s->around = j->snapshot ? &s->decoded : NULL;
	assert(!s->around == !j->snapshot);
	executors_set_snapshot(&s->executors, s->around, s->setup->files);
	return 0;
}

static int take_windows(struct worker_state *s, const struct job *j, struct err *err)
{
	assert(s->explored);
	windows_release(&s->windows);
	s->scope = j->scope;
	executor_set_windows(s->explored, &s->windows);
	return windows_decode(&s->windows, j->windows.data, j->windows.len, err);
}

static bool needs_trace(const struct job *j)
{
	const uint32_t flags =
		JOB_PATH | JOB_CARE | JOB_TRACE | JOB_MATCH | JOB_LIFT | JOB_PRECONDITION | JOB_MUTATE | JOB_JOIN;
	return j->flags & flags || j->n_alternatives;
}

int worker_enter(struct worker_state *s, const struct job *j, struct err *err)
{
	if (enter_snapshot(s, j, err) < 0 || start_program(s, j->program, err) < 0)
		return -1;
	if (needs_trace(j) && !s->explored->setup.want_trace)
		return err_set(err, "the coordinator talks nonsense");
	return take_windows(s, j, err);
}

// --- comparing ------------------------------------------------------------------------------------

// The traced run of the comparison is the one that is analysed next.
static int run_compared(void *opaque, const struct compare *c, unsigned milliseconds, struct run_result *ret,
                        const struct trace **ret_trace, struct err *err)
{
	struct worker_state *s = opaque;
	struct result ignored = {0};
	struct job j = {.id = s->matching, .flags = JOB_PATH, .run_ms = milliseconds, .input = *c->input};
	s->ran = false;
	int r = worker_run(s, &j, &ignored, err);
	s->us_match += ignored.us_run;
	*ret = s->run;
	*ret_trace = &s->trace;
	return r;
}

// Another run took its place.
static void forget_compared(void *opaque)
{
	worker_forget_run(opaque);
}

int worker_match(struct worker_state *s, const struct job *j, struct result *r, struct err *err)
{
	struct executor *native = executors_get(&s->executors, worker_target(s), "native", err);
	if (!native)
		return -1;
	struct compare c = {.native = native,
	                    .traced = s->explored,
	                    .input = &j->input,
	                    .least_ms = s->setup->milliseconds,
	                    .most_ms = j->run_ms,
	                    .native_ms = j->flags & JOB_QUICK || j->run_ms > s->setup->hang_ms ? j->run_ms
	                                                                                       : s->setup->hang_ms,
	                    .run = run_compared,
	                    .forget = forget_compared,
	                    .opaque = s};
	s->matching = j->id;
	s->us_match = 0;
	uint64_t from = worker_clock();
	int result = compare(&c, err);
	uint64_t took = worker_clock() - from;
	assert(s->us_match <= took);
	r->us_run += s->us_match;
	r->us_match = took - s->us_match;
	r->outcome = c.outcome;
	r->differs = c.differs;
	r->native_us = c.native_us;
	return result;
}
