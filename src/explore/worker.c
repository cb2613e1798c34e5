#include "explore/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "explore/apply.h"
#include "explore/blame.h"
#include "explore/compare.h"
#include "explore/cover.h"
#include "explore/prepare.h"
#include "explore/reads.h"
#include "explore/traces.h"
#include "explore/tree.h"
#include "expr/trace.h"
#include "solver/care.h"
#include "solver/chain.h"

enum { REPORTED_MAX = 1 << 22, POOL_MAX = 256 << 20, TRACES_MAX = 128 << 20, NAMES_MAX = 64 };
enum { MINIMISE_RUNS = 400 };
enum { EVENTS_EACH = 16 }; // events are recorded for each decision that is looked at: most decisions are one or two

struct state {
	const struct worker_setup *setup;
	int fd;
	struct sandbox sandbox;
	uint32_t program; // that runs; none yet: UINT32_MAX
	int64_t snapshot; // of the recorded test that the job is about
	struct snapshot decoded;
	const struct snapshot *around; // &decoded; NULL: there is none
	struct windows windows;        // what of it is symbolic
	uint64_t target;               // names them
	struct executor explored, sanitized, native;
	bool has_oracle;   // the last two are there
	uint64_t matching; // the input that is compared
	uint64_t us_match; // what its traced run took
	// The last run.
	bool ran;
	bool has_path, has_room; // has_room: the path was entered before, with this pool
	uint64_t id, with;       // with: the target
	struct input input;
	struct input seen; // the same, files by the names that runs know them by
	struct run_result run;
	struct trace trace;
	struct buf taken;     // its memory, when it is that of the last run
	struct traces traces; // of runs before it
	struct path path;
	struct decisions decisions;
	struct decisions again; // read only to find places
	// Solving.
	bool solves;
	struct expr_pool pool;
	struct solver_env env;
	struct solver *solver;
	struct care_solver *care_solver;
	struct care care;
	struct model model;
	struct prepared prepared;
	struct input largest; // of the setup, files named likewise
	// What the coordinator knows already.
	struct tree reported;
	// Places of checks: TREE_SAT when the filter wants them, TREE_UNSAT when not.
	struct tree places;
};

static uint64_t microseconds(void)
{
	return solver_now() / 1000;
}

// --- names of files -------------------------------------------------------------------------------

// Traces have the names that runs know files by, which are not the user's in all kinds of sandboxes.
static void see_names(const struct state *s, struct input *seen, const struct input *in)
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
static char *user_name(const struct state *s, const char *name)
{
	for (size_t i = 0; i < s->seen.n; i++)
		if (s->seen.v[i].kind == INPUT_FILE && strcmp(s->seen.v[i].name, name) == 0)
			return mem_strdup(s->input.v[i].name);
	size_t n = strlen(s->sandbox.cwd);
	bool is_below = strncmp(name, s->sandbox.cwd, n) == 0 && name[n] == '/';
	return is_below ? mem_printf("%s%s", s->setup->cwd, name + n) : NULL;
}

// Back, for an input that was made of `seen`.
static void name_again(const struct state *s, struct input *made)
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

static void forget_path(struct state *s)
{
	if (s->has_path)
		path_leave(&s->path);
	s->has_path = false;
}

// Which input it is that ran.
static void note_input(struct state *s, const struct job *j)
{
	s->ran = true;
	s->id = j->id;
	s->with = j->target;
	input_release(&s->input);
	input_copy(&s->input, &j->input);
	see_names(s, &s->seen, &s->input);
}

// Names the trace: of the input, and of what was symbolic.
static uint64_t trace_number(const struct job *j)
{
	return j->id ^ j->target << 32 ^ j->target >> 32;
}

// It ran before, and nothing but its trace is wanted.
static bool recall(struct state *s, const struct job *j)
{
	const struct trace *t = j->flags & JOB_PATH ? NULL : traces_find(&s->traces, trace_number(j));
	if (!t)
		return false;
	forget_path(s);
	s->trace = *t;
	s->run = (struct run_result){0};
	note_input(s, j);
	return true;
}

static int run_input(struct state *s, const struct job *j, struct result *r, struct err *err)
{
	if ((s->ran && s->id == j->id && s->with == j->target) || recall(s, j))
		return 0;
	executor_set_snapshot(&s->explored, s->around, s->setup->files);
	uint64_t from = microseconds();
	forget_path(s);
	s->ran = false;
	s->explored.most_events = EVENTS_EACH * s->setup->decisions;
	int ran = executor_run(&s->explored, &j->input, j->run_ms ? j->run_ms : s->setup->milliseconds, &s->run, err);
	s->explored.most_events = 0;
	if (ran < 0)
		return -1;
	r->us_run = microseconds() - from;
	// A run that was killed before it came to main left none.
	static const struct trace_header nothing;
	struct err none;
	if (trace_take(s->explored.trace, s->explored.trace_size, &s->taken, &s->trace, &none) < 0)
		s->trace = (struct trace){.header = &nothing, .n_nodes = 1};
	note_input(s, j);
	traces_add(&s->traces, trace_number(j), &s->trace);
	return 0;
}

// --- telling --------------------------------------------------------------------------------------

// Checks inside models of libc (meson.build names their files so) belong to the call, wherever that is; findings are
// told of by their own place.
static bool is_in_model(const char *file)
{
	return strncmp(file, "libc/", 5) == 0;
}

// Globs are matched once for each place in the source.
static bool wants(void *opaque, const struct trace *t, const struct trace_event *e, uint64_t place)
{
	struct state *s = opaque;
	const struct filter *f = s->setup->filter;
	const struct trace_site *site = trace_site(t, e->site);
	enum tree_state known = tree_get(&s->places, place);
	if (known != TREE_NEW || !site)
		return known != TREE_UNSAT;
	const char *file = trace_text(t, site->file), *program = s->setup->programs[s->program].path;
	bool wanted = filter_wants_check(f, site->kind) &&
	              (is_in_model(file) || filter_wants_place(f, program, file, trace_text(t, site->function)));
	tree_set(&s->places, place, wanted ? TREE_SAT : TREE_UNSAT);
	return wanted;
}

static void report_decision(struct state *s, uint32_t index, uint32_t depth, struct result *r)
{
	const struct decision *d = &s->decisions.v[index];
	struct reported *t = &r->reported[r->n_reported++];
	*t = (struct reported){.decision = *d, .depth = depth};
	t->decision.first = r->n_alternatives;
	memcpy(&r->alternatives[r->n_alternatives], &s->decisions.alternatives[d->first],
	       d->alternatives * sizeof *r->alternatives);
	r->n_alternatives += d->alternatives;
}

static bool is_unreported(struct state *s, const struct decision *d)
{
	return tree_set(&s->reported, d->check ? d->place : d->key, TREE_TAKEN) != TREE_TAKEN;
}

// Names what paths begin with: the program, and what of its input is concrete.
static uint64_t path_root(const struct state *s)
{
	return s->setup->programs[s->program].root ^ s->target;
}

static void report_path(struct state *s, const struct job *j, struct result *r)
{
	struct decisions *ds = &s->decisions;
	decisions_read(ds, &s->trace, path_root(s), s->setup->decisions);
	r->decisions = ds->n;
	r->path = ds->path;
	r->cut = ds->cut;
	r->reported = mem_alloc((ds->n + 1) * sizeof *r->reported);
	r->alternatives = mem_alloc((ds->n_alternatives + 1) * sizeof *r->alternatives);
	if (s->reported.full) { // from the start: the coordinator knows what is new
		tree_release(&s->reported);
		tree_init(&s->reported, REPORTED_MAX);
	}
	uint32_t depth = 0, after = 0;
	for (uint32_t i = 0; i < ds->n; i++) {
		const struct decision *d = &ds->v[i];
		if (j->flags & JOB_AFTER ? r->as_expected && after++ < s->setup->after
		                         : j->flags & JOB_ALL || is_unreported(s, d))
			report_decision(s, i, depth, r);
		else if (!d->check)
			r->join = d->key; // what was told before comes before what was not
		r->leaf = d->check ? r->leaf : d->key;
		r->as_expected |= !d->check && d->key == j->expect;
		depth += !d->check;
	}
}

// Functions that labels were lost in.
static void report_names(struct state *s, struct result *r)
{
	const struct trace *t = &s->trace;
	r->names = mem_zero(NAMES_MAX * sizeof *r->names);
	for (uint32_t i = 0; i < t->n_events; i++) {
		r->untraced |= t->events[i].kind == EVENT_UNKNOWN;
		if (t->events[i].kind != EVENT_UNMODELLED || !t->events[i].value)
			continue;
		const char *name = trace_text(t, (uint32_t)t->events[i].value);
		uint32_t k = 0;
		while (k < r->n_names && strcmp(r->names[k].name, name) != 0)
			k++;
		if (k == NAMES_MAX)
			continue;
		if (k == r->n_names)
			r->names[r->n_names++].name = mem_strdup(name);
		r->names[k].count++;
	}
	r->unmodelled = r->n_names > 0;
}

// What of standard input and files the run read.
static void report_reads(struct state *s, struct result *r)
{
	const struct trace *t = &s->trace;
	const struct decisions *ds = &s->decisions;
	uint32_t *reach = mem_zero((t->n_inputs + 1) * sizeof *reach);
	reads_reach(t, ds->cut && ds->n ? ds->v[ds->n - 1].event + 1 : t->n_events, reach);
	r->reads = mem_zero((t->n_inputs + 1) * sizeof *r->reads);
	for (uint32_t i = 0; i < t->n_inputs; i++) {
		struct input_type type = trace_input_type(t, i);
		if (input_is_content(type) || type.role == INPUT_CONCRETE)
			r->reads[r->n_reads++] = (struct result_name){mem_strdup(trace_input_label(t, i)), reach[i]};
	}
	mem_free(reach);
}

static int report_unit(void *opaque, uint64_t unit, const uint8_t *bytes, size_t n)
{
	struct result *r = opaque;
	r->cover = mem_resize(r->cover, (r->n_cover + 1) * sizeof *r->cover);
	r->cover[r->n_cover++] =
		(struct result_cover){.unit = unit, .n = (uint32_t)n, .bytes = (uint8_t *)mem_copy(bytes, n)};
	return 0;
}

static void report_cover(struct state *s, const struct job *j, struct result *r)
{
	if (j->flags & JOB_EDGES) {
		r->n_edges = (cover_edges(s->setup->cover) + 7) / 8;
		r->edges = mem_zero(r->n_edges + 1);
		cover_hits(s->setup->cover, s->explored.cover, s->explored.cover_size, r->edges);
	}
	r->changed_cover = cover_merge(s->setup->cover, s->explored.cover, s->explored.cover_size);
	if (r->changed_cover)
		cover_each_changed(s->setup->cover, report_unit, r);
}

// --- solving --------------------------------------------------------------------------------------

static void stop_solving(struct state *s)
{
	if (!s->solves)
		return;
	forget_path(s);
	path_release(&s->path);
	s->has_room = false;
	solver_free(s->solver);
	care_free(s->care_solver);
	expr_pool_release(&s->pool);
	s->solves = false;
}

// Expressions of earlier paths stay in the pool, and answers to questions about them, until there are too many.
static void prepare_solving(struct state *s)
{
	if (s->has_path)
		return;
	if (s->solves && expr_pool_bytes(&s->pool) > POOL_MAX)
		stop_solving(s);
	if (!s->solves) {
		expr_pool_init(&s->pool);
		s->env = (struct solver_env){
			.pool = &s->pool,
			.nanoseconds = s->setup->solver_ns,
			.conflicts = s->setup->solver_conflicts,
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
}

// Has a part grown beyond what it may?
static bool is_too_large(const struct state *s, const struct input *in)
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

// The i-th question; false: the run was another one this time, and does not have it.
static bool query_of(struct state *s, const struct job *j, uint32_t i, struct query *ret)
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
static void solve_near(struct state *s, const struct job_alternative *t)
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

static void solve(struct state *s, const struct job *j, uint32_t i, struct result_answer *ret)
{
	struct query q;
	ret->key = j->alternatives[i].alternative.key;
	ret->event = j->alternatives[i].event;
	ret->answer = ANSWER_UNKNOWN;
	ret->reason = SOLVER_NONE;
	if (!query_of(s, j, i, &q))
		return;
	ret->answer = solver_solve(s->solver, &q, &s->model);
	if (ret->answer == ANSWER_UNKNOWN)
		ret->reason = s->env.reason;
	if (ret->answer != ANSWER_SAT)
		return;
	if (j->alternatives[i].alternative.op == ALTERNATIVE_VIOLATE)
		solve_near(s, &j->alternatives[i]);
	ret->changed = apply_model(&ret->input, &s->seen, &s->path, &s->model);
	name_again(s, &ret->input);
	if (is_too_large(s, &ret->input)) { // in a part that the trace did not tell of
		input_release(&ret->input);
		ret->answer = ANSWER_UNKNOWN;
	}
}

// The events that places stand for, on this path.
static void find_events(struct state *s, struct job *j)
{
	struct decisions *ds = &s->again;
	decisions_read(ds, &s->trace, path_root(s), s->setup->decisions);
	for (uint32_t k = 0; k < ds->n; k++)
		for (uint32_t i = 0; i < j->n_alternatives; i++)
			if (ds->v[k].place == j->alternatives[i].place && !ds->v[k].check)
				j->alternatives[i].event = ds->v[k].event;
}

static void solve_all(struct state *s, struct job *j, struct result *r)
{
	uint64_t from = microseconds();
	bool first = j->flags & JOB_FIRST, found = false;
	r->answers = mem_zero((j->n_alternatives + 1) * sizeof *r->answers);
	if (j->n_alternatives)
		prepare_solving(s);
	if (j->n_alternatives && j->alternatives[0].event == UINT32_MAX)
		find_events(s, j);
	const uint64_t until = j->milliseconds ? from + 1000 * (uint64_t)j->milliseconds : UINT64_MAX;
	for (; r->n_answers < j->n_alternatives && microseconds() < until && !(first && found); r->n_answers++) {
		solve(s, j, r->n_answers, &r->answers[r->n_answers]);
		found = r->answers[r->n_answers].answer == ANSWER_SAT;
	}
	r->us_solve = microseconds() - from;
}

// All that can be input: not the name of the program, which never is.
static size_t size_of_input(const struct input *in)
{
	const struct input_part *name = input_argument(in, 0);
	return input_size(in) - (name ? name->data.len : 0);
}

// Those of its bytes that matter; not how many there are of something, and no terminators.
static int32_t count_care(const struct state *s)
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

static void report_masks(struct state *s, struct result *r)
{
	input_copy(&r->whole, &s->seen);
	apply_objects(&r->whole, &s->path);
	apply_masks(&r->masks, &r->whole, &s->path, s->care.masks, s->care.n, s->setup->sym);
	name_again(s, &r->whole);
	name_again(s, &r->masks);
}

static void find_care(struct state *s, const struct job *j, struct result *r)
{
	uint64_t from = microseconds();
	prepare_solving(s);
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
	r->us_care += microseconds() - from;
}

// --- judging --------------------------------------------------------------------------------------

static int start_oracle(struct state *s, struct err *err)
{
	if (s->has_oracle)
		return 0;
	struct executor_setup setup = s->explored.setup;
	setup.builder = s->setup->sanitized;
	setup.sym = NULL;
	setup.on_heap = true;
	setup.want_trace = setup.want_cover = false;
	if (executor_start(&s->sanitized, &setup, err) < 0)
		return -1;
	setup.builder = s->setup->native;
	setup.on_heap = false;
	s->has_oracle = executor_start(&s->native, &setup, err) == 0;
	if (!s->has_oracle)
		executor_stop(&s->sanitized);
	return s->has_oracle ? 0 : -1;
}

// What a recorded test was given: also the files that the input has otherwise.
static void complete_seed(const struct state *s, const struct job *j, struct input *ret)
{
	const struct snapshot *snapshot = s->around;
	input_copy(ret, &j->seed);
	for (size_t i = 0; snapshot && i < j->input.n; i++) {
		const struct input_part *p = &j->input.v[i];
		const struct snapshot_entry *e = p->kind == INPUT_FILE ? snapshot_find(snapshot, p->name) : NULL;
		struct buf content = {0};
		struct err err;
		if (e && !input_find(ret, INPUT_FILE, p->name) &&
		    snapshot_content(s->setup->files, e, &content, &err) == 0)
			input_add(ret, INPUT_FILE, p->name, content.data, content.len);
		buf_release(&content);
	}
}

// What was reported of the input as it was may not be true of the smaller one: sizes, addresses, callers.
static int report_again(struct state *s, struct result_verdict *v, unsigned ms, struct err *err)
{
	struct verdicts vs = {0};
	if (oracle_run(&s->sanitized, &s->native, &v->input, ms, &vs, err) < 0)
		return -1;
	for (size_t i = 0; i < vs.n; i++)
		if (vs.v[i].key == v->verdict.key) {
			struct verdict was = v->verdict;
			v->verdict = vs.v[i];
			vs.v[i] = was;
			break;
		}
	verdicts_release(&vs);
	return 0;
}

// How many bytes matter to what the input does wrong; -1: that cannot be told. In place of the last run. In a snapshot
// the input gets what else it read.
static int32_t count_blamed(struct state *s, struct input *in, const struct verdict *v)
{
	struct run_result run;
	struct trace t;
	struct blamed_bytes bytes;
	struct err err;
	forget_path(s);
	s->ran = false;
	executor_set_snapshot(&s->explored, s->around, s->setup->files);
	int32_t n = -1;
	if (executor_run(&s->explored, in, s->setup->milliseconds, &run, &err) == 0 &&
	    trace_take(s->explored.trace, s->explored.trace_size, &s->taken, &t, &err) == 0) {
		if (blame_bytes(&bytes, &t, blame_find(&t, v->file, v->line, v->stack))) {
			n = (int32_t)bytes.count;
			blamed_bytes_release(&bytes);
		}
		if (s->around)
			reads_add(in, &t, s->around);
	}
	cover_clear(s->explored.cover, s->explored.cover_size);
	return n;
}

static int confirm_input(struct state *s, const struct job *j, struct result *r, struct err *err)
{
	uint64_t from = microseconds();
	struct verdicts vs = {0};
	struct input seed = {0};
	unsigned ms = s->setup->hang_ms > j->run_ms ? s->setup->hang_ms : j->run_ms;
	if (start_oracle(s, err) < 0)
		return -1;
	executor_set_snapshot(&s->sanitized, s->around, s->setup->files);
	executor_set_snapshot(&s->native, s->around, s->setup->files);
	if (oracle_run(&s->sanitized, &s->native, &j->input, ms, &vs, err) < 0)
		return -1;
	complete_seed(s, j, &seed);
	r->verdicts = mem_zero((vs.n + 1) * sizeof *r->verdicts);
	for (size_t i = 0; i < vs.n; i++) {
		struct result_verdict *v = &r->verdicts[r->n_verdicts++];
		v->verdict = vs.v[i]; // and what it points to
		vs.v[i] = (struct verdict){0};
		input_copy(&v->input, &j->input);
		if ((j->flags & JOB_MINIMISE) && oracle_minimise(&s->sanitized, &v->input, &seed, s->around,
		                                                 v->verdict.key, ms, MINIMISE_RUNS, err) < 0) {
			input_release(&v->input);
			input_copy(&v->input, &j->input);
		}
		if (!input_equal(&v->input, &j->input) && report_again(s, v, ms, err) < 0)
			return -1;
		v->changed = j->flags & JOB_MINIMISE ? (int32_t)input_difference(&v->input, &seed) : -1;
		v->care = j->flags & JOB_MINIMISE ? count_blamed(s, &v->input, &v->verdict) : -1;
	}
	verdicts_release(&vs);
	input_release(&seed);
	r->us_oracle = microseconds() - from;
	return 0;
}

// --- jobs -----------------------------------------------------------------------------------------

// The traced run of the comparison is the one that is analysed next.
static int run_compared(void *opaque, const struct compare *c, unsigned milliseconds, struct run_result *ret,
                        const struct trace **ret_trace, struct err *err)
{
	struct state *s = opaque;
	struct result ignored = {0};
	struct job j = {.id = s->matching, .flags = JOB_PATH, .run_ms = milliseconds, .input = *c->input};
	s->ran = false;
	int r = run_input(s, &j, &ignored, err);
	s->us_match = ignored.us_run;
	*ret = s->run;
	*ret_trace = &s->trace;
	return r;
}

// Another run took its place.
static void forget_compared(void *opaque)
{
	struct state *s = opaque;
	forget_path(s);
	s->ran = false;
}

// Does the program itself do what it did when it was recorded? And does its traced variant?
static int match(struct state *s, const struct job *j, struct result *r, struct err *err)
{
	if (start_oracle(s, err) < 0)
		return -1;
	executor_set_snapshot(&s->native, s->around, s->setup->files);
	struct compare c = {.native = &s->native,
	                    .traced = &s->explored,
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
	int result = compare(&c, err);
	r->us_run += s->us_match;
	r->outcome = c.outcome;
	r->differs = c.differs;
	r->native_us = c.native_us;
	return result;
}

static void stop_program(struct state *s)
{
	if (s->program == UINT32_MAX)
		return;
	forget_path(s);
	s->ran = false;
	executor_stop(&s->explored);
	if (s->has_oracle) {
		executor_stop(&s->sanitized);
		executor_stop(&s->native);
	}
	s->has_oracle = false;
	tree_release(&s->places); // another program may be wanted where this one is not
	tree_init(&s->places, REPORTED_MAX);
	s->program = UINT32_MAX;
}

static int start_program(struct state *s, uint32_t program, struct err *err)
{
	if (s->program == program)
		return 0;
	if (program >= s->setup->n_programs)
		return err_set(err, "the coordinator talks nonsense");
	stop_program(s);
	const struct executor_setup setup = {
		.builder = s->setup->explored,
		.program = s->setup->programs[program].path,
		.sym = s->setup->sym,
		.sandbox = &s->sandbox,
		.steady = true,
		.want_trace = true,
		.want_cover = true,
		.complain = s->setup->complain,
	};
	if (executor_start(&s->explored, &setup, err) < 0)
		return -1;
	s->program = program;
	return 0;
}

static int enter_snapshot(struct state *s, const struct job *j, struct err *err)
{
	if (j->snapshot == s->snapshot)
		return 0;
	if (s->around)
		snapshot_release(&s->decoded);
	s->around = NULL;
	s->snapshot = j->snapshot;
	if (j->snapshot && snapshot_decode(&s->decoded, j->around.data, j->around.len, err) < 0)
		return -1;
	s->around = j->snapshot ? &s->decoded : NULL;
	return 0;
}

static int take_windows(struct state *s, const struct job *j, struct err *err)
{
	windows_release(&s->windows);
	s->target = j->target;
	executor_set_windows(&s->explored, &s->windows);
	return windows_decode(&s->windows, j->windows.data, j->windows.len, err);
}

static bool has_symbolic_input(const struct trace *t)
{
	for (uint32_t i = 0; i < t->n_inputs; i++)
		if (trace_input_type(t, i).role != INPUT_CONCRETE)
			return true;
	return false;
}

// Is there a byte that could be another, or anything that depends on how many there are?
static bool has_input(const struct trace *t)
{
	for (uint32_t i = 0; i < t->n_inputs; i++) {
		uint32_t size = 0;
		const uint8_t *data = trace_input_data(t, i, &size);
		bool is_number = input_is_number(trace_input_type(t, i));
		if (data && input_is_string(trace_input_type(t, i)))
			size = (uint32_t)strnlen((const char *)data, size);
		if (size && !is_number)
			return true;
	}
	for (uint32_t i = 0; i < t->n_events; i++)
		if (t->events[i].label && trace_is_condition(&t->events[i]))
			return true;
	return false;
}

static int do_job(struct state *s, struct job *j, struct result *r, struct err *err)
{
	if (enter_snapshot(s, j, err) < 0)
		return -1;
	if (start_program(s, j->program, err) < 0 || take_windows(s, j, err) < 0)
		return -1;
	r->id = j->id;
	r->care = r->care_of = -1;
	if ((j->flags & JOB_MATCH) && match(s, j, r, err) < 0)
		return -1;
	if (r->differs)
		return 0;
	if ((j->flags & (JOB_PATH | JOB_CARE | JOB_TRACE)) || j->n_alternatives) {
		if (run_input(s, j, r, err) < 0)
			return -1;
		uint64_t from = microseconds();
		r->full = s->trace.header->full != 0;
		r->damaged = s->trace.damaged;
		r->symbolic = has_symbolic_input(&s->trace);
		r->no_input = !has_input(&s->trace);
		r->nodes = s->trace.n_nodes;
		if (j->flags & JOB_PATH) {
			report_path(s, j, r);
			report_names(s, r);
			if (j->flags & JOB_ALL)
				report_reads(s, r);
			report_cover(s, j, r);
		}
		r->us_read = microseconds() - from;
		r->run = s->run;
	}
	if (j->flags & JOB_TRACE)
		trace_encode(&s->trace, &r->trace);
	if ((j->flags & (JOB_CARE | JOB_TRACE)) && !(j->flags & JOB_PATH) &&
	    !j->n_alternatives) { // it ran for this alone
		r->us_care = r->us_run;
		r->us_run = 0;
	}
	solve_all(s, j, r);
	if (j->flags & JOB_CARE)
		find_care(s, j, r);
	bool hangs = (j->flags & JOB_PATH) && s->run.end == RUN_TIMEOUT;
	return (j->flags & JOB_ORACLE) && !(hangs && (j->flags & JOB_QUICK)) ? confirm_input(s, j, r, err) : 0;
}

// The process inside. Ends when the coordinator closes its end.
static _Noreturn void work(struct state *s)
{
	struct job j;
	struct err err;
	bool works = true;
	s->program = UINT32_MAX;
	tree_init(&s->reported, REPORTED_MAX);
	tree_init(&s->places, REPORTED_MAX);
	if (s->setup->filter) {
		s->decisions.wants = wants;
		s->decisions.opaque = s;
	}
	traces_init(&s->traces, TRACES_MAX);
	if (s->setup->largest)
		see_names(s, &s->largest, s->setup->largest);
	while (works && job_receive(s->fd, &j, &err) == 0) {
		struct result r = {0};
		works = do_job(s, &j, &r, &err) == 0;
		if (works && result_send(s->fd, &r, &err) < 0)
			_exit(0); // nobody is left to tell
		result_release(&r);
		job_release(&j);
	}
	if (!works) {
		struct result r = {.failed = err.text};
		struct err ignored;
		result_send(s->fd, &r, &ignored);
	}
	stop_program(s);
	sandbox_leave(&s->sandbox);
	_exit(works ? 0 : 1);
}

int worker_start(struct worker *ret, const struct worker_setup *setup, const char *worker_dir, struct err *err)
{
	int pair[2];
	struct state *s = mem_zero(sizeof *s);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) {
		mem_free(s);
		return err_errno(err, "cannot start a worker");
	}
	s->setup = setup;
	s->fd = pair[1];
	pid_t pid = sandbox_fork(&s->sandbox, setup->mode, &setup->limits, worker_dir, setup->cwd, err);
	if (pid == 0) {
		close(pair[0]);
		work(s);
	}
	close(pair[1]);
	mem_free(s);
	if (pid < 0) {
		close(pair[0]);
		return -1;
	}
	*ret = (struct worker){.pid = pid, .fd = pair[0], .worker_dir = mem_strdup(worker_dir)};
	return 0;
}

// They end by themselves, unless they are at something.
void workers_stop(struct worker *const *all, size_t n)
{
	enum { PATIENCE = 20, ATTEMPTS = 40 };
	size_t left = n;
	for (size_t i = 0; i < n; i++) {
		if (all[i]->fd >= 0)
			close(all[i]->fd);
		all[i]->fd = -1;
	}
	for (int attempt = 0; left && attempt < ATTEMPTS; attempt++) {
		if (attempt)
			usleep(10000);
		for (size_t i = 0; i < n && attempt == PATIENCE; i++)
			if (all[i]->pid > 0) // a sandbox without namespaces ends its processes then
				kill(all[i]->pid, SIGTERM);
		left = 0;
		for (size_t i = 0; i < n; i++) {
			if (all[i]->pid > 0 && waitpid(all[i]->pid, NULL, WNOHANG) != 0)
				all[i]->pid = -1;
			left += all[i]->pid > 0;
		}
	}
	for (size_t i = 0; i < n; i++)
		if (all[i]->pid > 0)
			kill(all[i]->pid, SIGKILL);
	for (size_t i = 0; i < n; i++) {
		if (all[i]->pid > 0)
			waitpid(all[i]->pid, NULL, 0);
		if (all[i]->worker_dir)
			file_remove_tree(all[i]->worker_dir);
		mem_free(all[i]->worker_dir);
		*all[i] = (struct worker){.pid = -1, .fd = -1};
	}
}

void worker_stop(struct worker *w)
{
	workers_stop(&w, 1);
}
