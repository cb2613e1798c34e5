// Explores fragments of a program to the end, for tests/e2e/fragment.sh: all paths, each once.
//
//   test-fragment [OPTION]... PROGRAM FUNCTION
//     -V VARIANT   to run (fragment)          -m MARKER    to enter (0)
//     -g GLOBAL    starts as a cell           -s FUNCTION  its calls are stubs
//     -d DEPTH     of pointers                -x BYTES     of an object, at most
//     -n RUNS      at most (5000)             -c           no self-check
//     -t MS        for a run (1000)           -v           prints each run and its cells
//     -b RUNS      measures: the first input so many times
//     -J           runs each input as fragment_sanitized, too, and prints what that reports
//
// Prints "paths N runs N queries N unsat N unknown N diverged N signals N endless N beyond N".
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "confined.h"
#include "execute/executor.h"
#include "input/fragment.h"
#include "path/apply.h"
#include "path/decide.h"
#include "shape/shape.h"
#include "solver/chain.h"

enum { NAMES = 64, DECISIONS = 4096 };

static struct executor_setup setup = {.want_trace = true, .self_check = true, .steady = true};
static const char *function, *globals[NAMES], *stubs[NAMES];
static int n_globals, n_stubs;
static struct fragment entry;
static unsigned most_runs = 5000, bench, milliseconds = 1000;
static bool verbose, judges;

static void fail(const char *why)
{
	printf("error: %s\n", why);
	fflush(stdout);
	_exit(1);
}

// --- what the program has ---------------------------------------------------------------------------

static struct fragment_name global_names[NAMES], stub_names[NAMES];

static struct fragment_name name_of(const struct shape_program *p, struct shape_ref r)
{
	if (!shape_is_somewhere(r))
		fail("the program has no such function or global");
	return (struct fragment_name){p->units[r.unit].head->unit, r.number, 0};
}

// The first static one of that name, if none is visible.
static struct shape_ref find(const struct shape_program *p, const char *name,
                             struct shape_ref (*lookup)(const struct shape_program *, uint32_t, const char *))
{
	struct shape_ref r = SHAPE_NOWHERE;
	for (uint32_t i = 0; i < p->n_units && !shape_is_somewhere(r); i++)
		r = lookup(p, i, name);
	return r;
}

static void name_parts(const char *variant)
{
	struct shape_program p = {0};
	struct err err;
	if (shape_read(variant, &p, &err) < 0)
		fail(err.text);
	struct fragment_name own = name_of(&p, find(&p, function, shape_find_function));
	entry.unit = own.unit;
	entry.function = own.number;
	for (int i = 0; i < n_globals; i++)
		global_names[entry.n_globals++] = name_of(&p, find(&p, globals[i], shape_find_global));
	for (int i = 0; i < n_stubs; i++)
		stub_names[entry.n_stubs++] = name_of(&p, find(&p, stubs[i], shape_find_function));
	entry.globals = global_names;
	entry.stubs = stub_names;
	shape_free(&p);
}

// --- exploring --------------------------------------------------------------------------------------

struct set { // of keys; open addressing
	uint64_t *v;
	size_t n, cap;
};

static bool set_add(struct set *s, uint64_t key)
{
	if (2 * s->n >= s->cap) {
		struct set bigger = {.cap = s->cap ? 2 * s->cap : 1024};
		bigger.v = mem_zero(bigger.cap * sizeof *bigger.v);
		for (size_t i = 0; i < s->cap; i++)
			if (s->v[i])
				set_add(&bigger, s->v[i]);
		mem_free(s->v);
		*s = bigger;
	}
	size_t at = key % s->cap;
	key += !key;
	while (s->v[at] && s->v[at] != key)
		at = (at + 1) % s->cap;
	if (s->v[at])
		return false;
	s->v[at] = key;
	s->n++;
	return true;
}

static bool set_has(const struct set *s, uint64_t key)
{
	size_t at = s->cap ? key % s->cap : 0;
	key += !key;
	while (s->cap && s->v[at] && s->v[at] != key)
		at = (at + 1) % s->cap;
	return s->cap && s->v[at] == key;
}

struct waiting_input {
	struct input input;
	uint64_t key; // that its run is to come by; 0: any
};

static struct {
	struct executor executor, judge;
	struct expr_pool pool;
	struct solver_env env;
	struct solver *solver;
	struct decisions decisions;
	struct set seen, asked, paths;
	struct waiting_input *queue;
	size_t n_queue, cap;
	unsigned runs, queries, unsat, unknown, diverged, signals, endless, beyond, cut;
} all;

static void enqueue(struct input *in, uint64_t key)
{
	if (all.n_queue == all.cap) {
		all.cap = all.cap ? 2 * all.cap : 64;
		all.queue = mem_resize(all.queue, all.cap * sizeof *all.queue);
	}
	all.queue[all.n_queue++] = (struct waiting_input){*in, key};
}

static void print_cells(const struct trace *t)
{
	for (uint32_t i = 0; i < t->n_inputs; i++) {
		uint32_t size;
		const uint8_t *data = trace_input_data(t, i, &size);
		printf("  %s:", trace_input_label(t, i));
		for (uint32_t k = 0; data && k < size && k < 64; k++)
			printf(" %02x", data[k]);
		printf("\n");
	}
}

static void solve_alternative(struct path *p, const struct input *base, const struct decision *d,
                              const struct alternative *a)
{
	struct model model = {0};
	if (!path_can_negate(p, d->event) || !set_add(&all.asked, a->key))
		return;
	struct query q = alternative_query(p, d->event, a, &d->value, a->op == ALTERNATIVE_OTHER);
	enum answer answer = solver_solve(all.solver, &q, &model);
	all.queries++;
	all.unsat += answer == ANSWER_UNSAT;
	all.unknown += answer == ANSWER_UNKNOWN;
	if (answer == ANSWER_SAT) {
		struct input in;
		apply_model(&in, base, p, &model);
		if (a->op == ALTERNATIVE_GROW)
			apply_grown(&in, p, d->event, a->value);
		enqueue(&in, a->op == ALTERNATIVE_OTHER || a->op == ALTERNATIVE_GROW ? 0 : a->key);
	}
	model_release(&model);
}

// Alternatives of checks are not followed: they are no paths.
static void flip(const struct trace *t, const struct input *base)
{
	struct path path;
	path_init(&path, &all.pool, t);
	for (uint32_t i = 0; i < all.decisions.n; i++) {
		const struct decision *d = &all.decisions.v[i];
		for (uint32_t k = d->first; k < d->first + d->alternatives; k++)
			if (!d->check && !set_has(&all.seen, all.decisions.alternatives[k].key))
				solve_alternative(&path, base, d, &all.decisions.alternatives[k]);
	}
	path_release(&path);
}

static bool comes_by(uint64_t key)
{
	bool found = !key;
	for (uint32_t i = 0; i < all.decisions.n; i++)
		found |= all.decisions.v[i].key == key;
	return found;
}

static void print_run(const struct run_result *r, const struct trace *t)
{
	printf("run %u: %s %d, path %016" PRIx64 "\n", all.runs, r->end == RUN_EXITED ? "exited" : "ended", r->code,
	       all.decisions.path);
	print_cells(t);
}

// The first line of each report.
static void print_reports(const char *folder)
{
	DIR *dir = opendir(folder);
	for (struct dirent *d; dir && (d = readdir(dir));) {
		struct buf text = {0};
		char *path = mem_printf("%s/%s", folder, d->d_name);
		if (d->d_name[0] != '.' && file_read(path, &text, NULL) == 0 && text.len) {
			const char *error = strstr(text.data, "AddressSanitizer: ");
			printf("report %.*s\n", (int)strcspn(error ? error : text.data, " \t\n(") + (error ? 22 : 0),
			       error ? error : text.data);
		}
		mem_free(path);
		buf_release(&text);
	}
	if (dir)
		closedir(dir);
}

// With all cells that the traced run came to.
static void judge(const struct trace *t, const struct input *in)
{
	struct path path;
	struct input named;
	struct run_result r;
	struct err err;
	path_init(&path, &all.pool, t);
	input_copy(&named, in);
	apply_objects(&named, &path);
	path_release(&path);
	if (executor_run(&all.judge, &named, milliseconds, &r, &err) < 0)
		fail(err.text);
	print_reports(all.judge.reports);
	if (verbose)
		printf("judged: %s %d\n", r.end == RUN_EXITED ? "exited" : "ended", r.code);
	input_release(&named);
}

static void run_one(const struct input *in, uint64_t key)
{
	struct executor *e = &all.executor;
	struct run_result r;
	struct trace t;
	struct err err;
	if (executor_run(e, in, milliseconds, &r, &err) < 0 || trace_read(e->trace, e->trace_size, &t, &err) < 0)
		fail(err.text);
	all.runs++;
	if (t.header->mismatches || (r.end == RUN_EXITED && r.code == 127)) {
		struct buf text = {0};
		file_read(e->output, &text, NULL);
		fail(text.len ? text.data : "self-check");
	}
	decisions_read(&all.decisions, &t, 1, DECISIONS);
	bool beyond = t.n_events && t.events[t.n_events - 1].kind == EVENT_BEYOND;
	bool fresh = all.decisions.path && set_add(&all.paths, all.decisions.path);
	all.beyond += fresh && beyond;
	all.signals += fresh && r.end == RUN_SIGNAL;
	all.endless += fresh && r.end != RUN_SIGNAL && r.end != RUN_EXITED;
	all.diverged += !comes_by(key);
	all.cut += all.decisions.cut || t.header->full;
	for (uint32_t i = 0; i < all.decisions.n; i++)
		set_add(&all.seen, all.decisions.v[i].key);
	if (verbose)
		print_run(&r, &t);
	flip(&t, in);
	if (judges)
		judge(&t, in);
}

static void measure(const struct input *in)
{
	struct run_result r;
	struct err err;
	struct timespec from, to;
	uint64_t cpu = 0;
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (unsigned i = 0; i < bench; i++) {
		if (executor_run(&all.executor, in, milliseconds, &r, &err) < 0)
			fail(err.text);
		cpu += r.cpu_us;
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	double seconds = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
	printf("%.0f runs a second; each %.0f us of its own processor time\n", bench / seconds, (double)cpu / bench);
}

static int work(struct sandbox *sandbox, void *opaque)
{
	struct err err;
	struct input first = {0};
	setup.sandbox = sandbox;
	if (executor_start(&all.executor, &setup, &err) < 0)
		fail(err.text);
	const struct builder *builder = setup.builder;
	struct builder sanitized = *builder;
	sanitized.variant = "fragment-sanitized";
	struct executor_setup other = setup;
	other.builder = &sanitized;
	other.want_trace = false;
	if (judges && executor_start(&all.judge, &other, &err) < 0)
		fail(err.text);
	expr_pool_init(&all.pool);
	all.env = (struct solver_env){.pool = &all.pool, .nanoseconds = 5000000000u, .bytes = (size_t)256 << 20};
	all.solver = chain_new(&all.env, "chain");
	all.executor.most_events = DECISIONS;
	fragment_set(&first, &entry);
	if (bench) {
		measure(&first);
		return 0;
	}
	enqueue(&first, 0);
	for (size_t i = 0; i < all.n_queue && all.runs < most_runs; i++) {
		struct waiting_input w = all.queue[i];
		if (!w.key || !set_has(&all.seen, w.key))
			run_one(&w.input, w.key);
		input_release(&all.queue[i].input);
	}
	printf("paths %zu runs %u queries %u unsat %u unknown %u diverged %u signals %u endless %u beyond %u%s%s\n",
	       all.paths.n, all.runs, all.queries, all.unsat, all.unknown, all.diverged, all.signals, all.endless,
	       all.beyond, all.cut ? " cut" : "", all.runs == most_runs ? " more" : "");
	executor_stop(&all.executor);
	if (judges)
		executor_stop(&all.judge);
	return 0;
}

static void read_options(int argc, char **argv, struct builder *b)
{
	for (int option; (option = getopt(argc, argv, "V:m:g:s:d:x:n:b:t:cvJ")) >= 0;) {
		switch (option) {
		case 'V': b->variant = optarg; break;
		case 'm': entry.marker = (uint32_t)atoi(optarg); break;
		case 'g': globals[n_globals++ % NAMES] = optarg; break;
		case 's': stubs[n_stubs++ % NAMES] = optarg; break;
		case 'd': entry.depth = (uint32_t)atoi(optarg); break;
		case 'x': entry.object_max = (uint32_t)atoi(optarg); break;
		case 'n': most_runs = (unsigned)atoi(optarg); break;
		case 'b': bench = (unsigned)atoi(optarg); break;
		case 't': milliseconds = (unsigned)atoi(optarg); break;
		case 'c': setup.self_check = false; break;
		case 'v': verbose = true; break;
		case 'J': judges = true; break;
		default: fail("usage: see the source");
		}
	}
	if (argc - optind != 2)
		fail("PROGRAM and FUNCTION are missing");
	setup.target.program = argv[optind];
	function = argv[optind + 1];
}

int main(int argc, char **argv)
{
	struct err err;
	struct cache cache;
	struct toolchain tools;
	struct builder builder = {.variant = "fragment", .cache = &cache, .tools = &tools};
	read_options(argc, argv, &builder);
	if (cache_open(&cache, &err) < 0 || toolchain_find(&tools, &err) < 0)
		fail(err.text);
	setup.builder = &builder;
	setup.complain = confined_complain;
	const struct server_build how = {.complain = confined_complain};
	if (server_build(&builder, setup.target.program, &how, &err) < 0)
		fail(err.text);
	char *variant = NULL;
	if (build_program(&builder, setup.target.program, &variant, &err) != BUILD_OK)
		fail(err.text);
	name_parts(variant);
	struct builder other = builder;
	other.variant = "fragment-sanitized";
	if (judges && server_build(&other, setup.target.program, &how, &err) < 0)
		fail(err.text);
	struct sandbox_limits limits = {0};
	int result = confined_run(SANDBOX_NONE, &limits, work, NULL, &err);
	if (result < 0)
		fail(err.text);
	mem_free(variant);
	toolchain_release(&tools);
	cache_close(&cache);
	return result;
}
