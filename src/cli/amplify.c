// veer amplify: more out of recorded tests.
#include "cli/amplify.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/account.h"
#include "cli/building.h"
#include "cli/campaigns.h"
#include "cli/folders.h"
#include "cli/found.h"
#include "cli/search.h"
#include "config.h"
#include "explore/amplify.h"
#include "explore/amplify_target.h"
#include "explore/campaign.h"
#include "explore/seeds.h"
#include "explore/treatment.h"
#include "findings/hostile.h"
#include "instrument/build.h"
#include "report/results.h"
#include "run/server.h"
#include "run/snapshot.h"
#include "run/sym.h"

const struct option_spec amplify_specs[AMPLIFY_OPTIONS] = {
	{"output", 'o', OPTION_TEXT, offsetof(struct amplify_options, output), "DIR",
         "where tests and what is found are kept; what is there is not done again (default veer-out)"},
	{"budget", 0, OPTION_TEXT, offsetof(struct amplify_options, budget), "TIME",
         "how long, for all tests together: 30s, 5m, 2h (default 10m)"},
	{"max-distance", 0, OPTION_NUMBER, offsetof(struct amplify_options, max_distance), "N",
         "largest number of symbolic branches before a sensitive operation at which to diverge, and no search after "
         "that; 0: only check the paths themselves (default: no limit)"},
	{"search", 0, OPTION_TEXT, offsetof(struct amplify_options, search), "NAME",
         "search strategy beside and after the distances: chameleon, generational, ... as of veer explore, or none "
         "(default chameleon; none with --max-distance)"},
	{"depth-factor", 0, OPTION_NUMBER, offsetof(struct amplify_options, factor), "N",
         "a path that was left at distance D is followed for N times D branches (default 2)"},
	{"sym", 0, OPTION_TEXT, offsetof(struct amplify_options, sym), "SOURCE,...",
         "what of the tests may change: argv, stdin, files, file:PATH, test-env, env, env:NAME (default "
         "argv,stdin,files,test-env)"},
	{"include", 0, OPTION_TEXT, offsetof(struct amplify_options, choice.include), "LIST",
         "only these: file:GLOB, function:GLOB, program:GLOB; GLOB is a file or program"},
	{"exclude", 0, OPTION_TEXT, offsetof(struct amplify_options, choice.exclude), "LIST",
         "all but these, likewise"},
	{"checks", 0, OPTION_TEXT, offsetof(struct amplify_options, choice.checks), "LIST",
         "what is checked: memory, undefined, division, signed-integer-overflow, ... (default all)"},
	{"sample", 0, OPTION_TEXT, offsetof(struct amplify_options, choice.sample), "K|P%",
         "so many of the tests, chosen at random"},
	{"random-seed", 0, OPTION_NUMBER, offsetof(struct amplify_options, choice.random), "N",
         "for --sample: the same number chooses the same tests (default 0)"},
	{"baseline", 0, OPTION_TEXT, offsetof(struct amplify_options, choice.baseline), "FILE",
         "findings that are known: only others are reported"},
	{"write-baseline", 0, OPTION_TEXT, offsetof(struct amplify_options, choice.write_baseline), "FILE",
         "make all that is found now known"},
	{"suppressions", 0, OPTION_TEXT, offsetof(struct amplify_options, choice.suppressions), "FILE",
         "findings that are not reported, a line each: KIND FILE FUNCTION"},
	{"test-code", 0, OPTION_TEXT, offsetof(struct amplify_options, choice.test_code), "LIST",
         "globs of the tests' own sources, or none (default: by convention, as tests/, test_*.c)"},
	{"test-code-errors", 0, OPTION_FLAG, offsetof(struct amplify_options, choice.test_code_errors), NULL,
         "count errors in the tests' own code for --error-exitcode"},
	{"min-analysed", 0, OPTION_TEXT, offsetof(struct amplify_options, min_analysed), "P%",
         "fail (exit status 1) when a smaller share of the tests was wholly analysed (default: when none was, not even "
         "in part)"},
	{"verbose", 'v', OPTION_FLAG, offsetof(struct amplify_options, verbose), NULL,
         "list warnings, and the tests that are not amplified"},
	CAMPAIGN_OPTIONS(struct amplify_options, run),
};

enum { DISTANCES = 1000 }; // paths have fewer branches, or there is no time for all

struct session {
	const struct amplify_options *options;
	double seconds;
	enum sandbox_mode mode;
	struct campaign_tools with;
	struct store *store;
	struct cover *cover;
	struct account account; // when it is over
	char *worker_dirs, *files, *cwd;
	struct building *building;
	struct search search;
	bool searches;
	struct graph **graphs; // of programs, for strategies that walk; NULL: not read
	double began;          // when the budget did
	struct suite suite;
	struct worker_program *programs;
	char **reasons;   // why a program is left out; NULL: it is not
	char **libraries; // where it finds its libraries: LD_LIBRARY_PATH of one of its tests
	bool *loaded;     // in that test it did
	uint32_t n_programs, n_built;
	struct choice choice;
	struct found found;
	volatile sig_atomic_t *stop; // set: end in good order
	bool live;
};

// 1: there is to be one.
static int read_search(const struct amplify_options *o, struct search *ret, struct err *err)
{
	const char *name = o->search ? o->search : o->max_distance < 0 ? "chameleon" : "none";
	const struct search_options search = {.search = name};
	if (strcmp(name, "none") == 0)
		return 0;
	return search_read(&search, ret, err) < 0 ? -1 : 1;
}

int amplify_check(struct amplify_options *o, struct err *err)
{
	double seconds, percent;
	struct choice choice;
	if (cli_budget(o->budget, &seconds) < 0)
		return err_set(err, "--budget wants a time such as 30s, 5m or 2h");
	if (cli_percent(o->min_analysed, &percent) < 0)
		return err_set(err, "--min-analysed wants a percentage such as 50%%");
	if (o->sym && sym_check(o->sym, err) < 0)
		return -1;
	struct search search;
	if (read_search(o, &search, err) < 0)
		return -1;
	if (choice_init(&choice, &o->choice, err) < 0)
		return -1;
	choice_release(&choice); // amplify_run reads it again; now was the time to say what is wrong with it
	return o->choice.write_baseline ? cli_can_output(o->choice.write_baseline, o->output, err) : 0;
}

int amplify_sandbox(const struct amplify_options *o, enum sandbox_mode *ret, struct err *err)
{
	if (cli_hide(o->run.hide, err) < 0 || cli_sandbox(o->run.sandbox, o->run.unsafe, ret, err) < 0)
		return -1;
	if (*ret == SANDBOX_NAMESPACES)
		return 0;
	return err_set(err,
	               "%s: recorded tests need the files that they had, which only a sandbox of namespaces can show "
	               "them; `veer doctor` says how to enable it, `veer explore` works without",
	               *ret == SANDBOX_NONE ? "--unsafe-no-sandbox" : "sandbox landlock");
}

// --- what was recorded ----------------------------------------------------------------------------

// Those of the first of its tests, unless that ended as a program does that finds none, and another did not.
static void use_libraries(struct session *s, uint32_t program, const struct snapshot *snapshot)
{
	enum { NOT_LOADED = 127 };
	bool loaded = !WIFEXITED(snapshot->status) || WEXITSTATUS(snapshot->status) != NOT_LOADED;
	if (s->libraries[program] && (s->loaded[program] || !loaded))
		return;
	mem_free(s->libraries[program]);
	s->libraries[program] = snapshot_libraries(snapshot);
	s->loaded[program] = loaded;
}

static uint32_t program_of(struct session *s, const struct snapshot *snapshot)
{
	uint64_t root = snapshot->id.low ^ snapshot->id.high;
	for (uint32_t i = 0; i < s->n_programs; i++)
		if (s->programs[i].root == root && strcmp(s->programs[i].path, snapshot->program) == 0) {
			use_libraries(s, i, snapshot);
			return i;
		}
	s->programs = mem_resize(s->programs, (s->n_programs + 1) * sizeof *s->programs);
	s->reasons = mem_resize(s->reasons, (s->n_programs + 1) * sizeof *s->reasons);
	s->libraries = mem_resize(s->libraries, (s->n_programs + 1) * sizeof *s->libraries);
	s->loaded = mem_resize(s->loaded, (s->n_programs + 1) * sizeof *s->loaded);
	s->reasons[s->n_programs] = NULL;
	s->libraries[s->n_programs] = NULL;
	use_libraries(s, s->n_programs, snapshot);
	s->programs[s->n_programs] = (struct worker_program){.path = mem_strdup(snapshot->program), .root = root};
	return s->n_programs++;
}

static int add_snapshot(void *opaque, const struct stored_snapshot *c)
{
	struct session *s = opaque;
	struct err err;
	if (!c->present)
		return 0;
	struct snapshot snapshot;
	if (snapshot_decode(&snapshot, c->data.data, c->data.len, &err) < 0)
		return 0;
	// What went wrong in an earlier session is tried again; what the recording says stays.
	bool analysed = c->level >= 0 && !snapshot.why;
	enum outcome before = outcome_parse(c->outcome);
	const struct suite_test t = {.snapshot = c->id,
	                             .name = c->hash[0] ^ c->hash[1],
	                             .program = program_of(s, &snapshot),
	                             .times = c->times,
	                             .level = c->level,
	                             .matched = analysed,
	                             .begun = before != OUTCOME_NONE && outcome_group(before) <= GROUP_PART,
	                             .outcome = snapshot.why ? OUTCOME_NOT_REPLAYABLE
	                                        : analysed   ? before
	                                                     : OUTCOME_NONE,
	                             .native_us = c->native_us,
	                             .why = snapshot.why ? mem_strdup(snapshot.why) : NULL};
	suite_add(&s->suite, &t);
	alike_add(&s->suite.alike, t.program, &snapshot);
	snapshot_release(&snapshot);
	return 0;
}

// Snapshots come in order of their ids, so tests do.
static struct suite_test *test_of(struct session *s, int64_t snapshot)
{
	size_t from = 0, to = s->suite.n;
	while (from < to) {
		size_t middle = (from + to) / 2;
		if (s->suite.v[middle].snapshot < snapshot)
			from = middle + 1;
		else
			to = middle;
	}
	return from < s->suite.n && s->suite.v[from].snapshot == snapshot ? &s->suite.v[from] : NULL;
}

static int add_seed(void *opaque, const struct stored_input *in)
{
	struct session *s = opaque;
	struct suite_test *t = in->parent || !in->snapshot ? NULL : test_of(s, in->snapshot);
	if (t)
		t->input = in->id;
	return 0;
}

static int by_program(const void *x, const void *y)
{
	const struct suite_test *a = x, *b = y;
	if (a->program != b->program)
		return a->program < b->program ? -1 : 1;
	return a->snapshot < b->snapshot ? -1 : a->snapshot > b->snapshot;
}

// Tests that were analysed with other choices were not analysed.
static int set_way(struct session *s, struct err *err)
{
	struct buf way = {0};
	buf_printf(&way, "targets\nsym %s\nfactor %d\n", s->options->sym, s->options->factor);
	filter_text(&s->choice.filter, &way);
	int r = store_set_way(s->store, way.data, err);
	buf_release(&way);
	return r;
}

// Gives tests that have a reason by now the outcome that it makes.
static void note_outcome(struct session *s, enum outcome o)
{
	for (size_t i = 0; i < s->suite.n; i++)
		if (s->suite.v[i].why && s->suite.v[i].outcome == OUTCOME_NONE)
			s->suite.v[i].outcome = o;
}

static void choose(struct session *s)
{
	const char **programs = mem_zero((s->n_programs + 1) * sizeof *programs);
	for (uint32_t i = 0; i < s->n_programs; i++)
		programs[i] = s->programs[i].path;
	choice_apply(&s->choice, &s->suite, programs, s->n_programs);
	mem_free(programs);
}

static int load(struct session *s, struct err *err)
{
	if (seeds_mask(s->store, false, err) < 0 || set_way(s, err) < 0)
		return -1;
	if (store_each_snapshot(s->store, add_snapshot, s, err) < 0 || store_each_input(s->store, add_seed, s, err) < 0)
		return -1;
	for (size_t i = 0; i < s->suite.n; i++)
		if (!s->suite.v[i].input && !s->suite.v[i].why)
			s->suite.v[i].why = mem_strdup("its input is lost");
	note_outcome(s, OUTCOME_FAILED);
	if (s->suite.n) // nothing otherwise
		qsort(s->suite.v, s->suite.n, sizeof *s->suite.v, by_program);
	choose(s);
	note_outcome(s, OUTCOME_NOT_CHOSEN);
	if (!s->suite.n)
		return err_set(err,
		               "%s has no tests: record some with `veer record -o %s -- COMMAND`, of programs that "
		               "were built with CC=veer-cc",
		               s->options->output, s->options->output);
	return 0;
}

// --- building -------------------------------------------------------------------------------------

static void say_nothing(const char *path, const char *why) // it is said once
{
	(void)path;
	(void)why;
}

// Why there is no use in building it; NULL: there is.
static const char *outdated(const struct worker_program *p, double *ret_size)
{
	struct err err;
	struct file_map now;
	if (file_map(p->path, &now, &err) < 0)
		return "its program is gone";
	struct hash id = hash_bytes(now.data, now.size);
	*ret_size = (double)now.size;
	file_unmap(&now);
	return (id.low ^ id.high) != p->root ? "its program was built again since; record the test again" : NULL;
}

// Its variants are in the cache, unless there is a reason why not.
static void take_program(void *opaque, uint32_t i, const char *why)
{
	struct session *s = opaque;
	const struct server_build explored = {.libraries = s->libraries[i],
	                                      .built = cover_add_built,
	                                      .opaque = s->cover,
	                                      .complain = cli_runs_natively,
	                                      .must_load = true},
				  sanitized = {.libraries = s->libraries[i], .complain = say_nothing};
	struct err err;
	if (!why && (server_build(&s->with.explored, s->programs[i].path, &explored, &err) < 0 ||
	             server_build(&s->with.sanitized, s->programs[i].path, &sanitized, &err) < 0))
		why = err.text;
	s->reasons[i] = why ? mem_strdup(why) : NULL;
	s->programs[i].builds = !why;
	s->programs[i].since = s->n_built;
	s->n_built += !why;
	for (size_t k = 0; why && k < s->suite.n; k++) {
		struct suite_test *t = &s->suite.v[k];
		if (t->program == i && !t->why) {
			t->why = mem_strdup(why);
			t->outcome = t->outcome == OUTCOME_NONE ? OUTCOME_NOT_BUILT : t->outcome;
		}
	}
	suite_ready(&s->suite, i);
}

static bool awaits(void *opaque)
{
	struct session *s = opaque;
	return building_look(s->building, take_program, s);
}

static int add_graph(void *opaque, const char *variant, struct err *err)
{
	return graph_add(opaque, variant, err);
}

// What the program looks like, for strategies that walk. Its variant was built, so this only reads.
static const struct graph *graph_of(void *opaque, uint32_t program)
{
	struct session *s = opaque;
	struct err err;
	if (!s->graphs)
		s->graphs = mem_zero((s->n_programs + 1) * sizeof *s->graphs);
	if (s->graphs[program])
		return s->graphs[program];
	struct graph *g = s->graphs[program] = mem_zero(sizeof *g);
	graph_init(g, s->cover);
	const struct server_build how = {
		.libraries = s->libraries[program], .built = add_graph, .opaque = g, .complain = say_nothing};
	if (server_build(&s->with.explored, s->programs[program].path, &how, &err) < 0) { // one without points
		graph_release(g);
		graph_init(g, s->cover);
	}
	graph_finish(g);
	return g;
}

// Programs with many tests, and little to build, come first.
static void begin_building(struct session *s)
{
	static const struct builder *variants[2];
	variants[0] = &s->with.explored;
	variants[1] = &s->with.sanitized;
	size_t *tests = mem_zero((s->n_programs + 1) * sizeof *tests);
	for (size_t i = 0; i < s->suite.n; i++)
		tests[s->suite.v[i].program] += !s->suite.v[i].why;
	s->building = building_new(variants, 2, (unsigned)s->options->run.jobs);
	for (uint32_t i = 0; i < s->n_programs; i++) {
		double size = 1;
		const char *why = tests[i] ? outdated(&s->programs[i], &size) : NULL;
		if (why)
			take_program(s, i, why);
		else if (tests[i])
			building_add(s->building, i, s->programs[i].path, s->libraries[i], (double)tests[i] / size);
	}
	for (size_t i = 0; i < s->suite.n; i++)
		s->suite.v[i].unready = !s->suite.v[i].why;
	mem_free(tests);
}

// --- telling --------------------------------------------------------------------------------------

enum phase { NONE, BUILDING, CHECKING, LEAVING, SEARCHING }; // each has a line of progress at least

static void print_progress(void *opaque, const struct campaign *c)
{
	struct session *s = opaque;
	const struct campaign_counts *n = &c->counts;
	static double last;
	static enum phase said;
	enum phase phase = s->suite.unready                      ? BUILDING
	                   : c->counts.searched || c->candidates ? SEARCHING
	                   : s->suite.distance                   ? LEAVING
	                                                         : CHECKING;
	if (s->options->run.quiet || (!s->live && c->elapsed - last < 10 && phase == said))
		return;
	last = c->elapsed;
	said = phase;
	char line[320], building[96] = "", searching[96] = "";
	struct building_counts b = building_count(s->building);
	if (s->suite.unready)
		snprintf(building, sizeof building, " building variants: %u of %u programs, %zu of %zu units;",
		         b.programs_built, b.programs, b.units_built, b.units);
	if (phase == SEARCHING)
		snprintf(searching, sizeof searching, " search: %llu runs, %zu candidates left;",
		         (unsigned long long)n->searched, c->candidates);
	snprintf(line, sizeof line,
	         "veer: %.0f s,%s%s distance %u: %zu of %zu %s left, %llu checks, %llu runs, %zu errors, %zu warnings",
	         c->elapsed, building, searching, s->suite.distance, c->waiting, s->suite.n + s->suite.n_windows,
	         s->suite.n_windows ? "tests and windows" : "tests", (unsigned long long)n->checks,
	         (unsigned long long)n->runs, s->found.errors, s->found.warnings);
	fprintf(stderr, s->live ? "\r%s\033[K" : "%s\n", line);
}

static int known(void *opaque, uint64_t key, bool still, struct err *err)
{
	struct session *s = opaque;
	return found_known(&s->found, key, still, err);
}

static struct folders folders_of(const struct session *s)
{
	return (struct folders){.store = s->store,
	                        .output = s->options->output,
	                        .cwd = s->cwd,
	                        .files = s->files,
	                        .sym = s->options->sym};
}

// Its folder is written whether it is told of or not: without the baseline it would be.
static int found(void *opaque, const struct stored_finding *f, const struct verdict *v, const struct input *in,
                 int64_t snapshot_id, struct err *err)
{
	struct session *s = opaque;
	found_new(&s->found, f);
	const struct folders folders = folders_of(s);
	return folders_write(&folders, f, v, in, snapshot_id, err);
}

static const struct suite_test *test_of_input(const struct session *s, int64_t input)
{
	for (size_t i = 0; i < s->suite.n; i++)
		if (s->suite.v[i].input == input)
			return &s->suite.v[i];
	return NULL;
}

// At the start, when something is wrong with many.
static void differs(void *opaque, const struct campaign *c, int64_t input, const char *first)
{
	const struct session *s = opaque;
	const struct campaign_counts *n = &c->counts;
	const struct suite_test *t = test_of_input(s, input);
	char *why = hostile_clean(first, strlen(first));
	if (s->live && !s->options->run.quiet)
		fputs("\r\033[K", stderr);
	cli_line(stderr,
	         "veer: %llu of the first %llu tests (%.0f%%) end differently traced than natively, and are not "
	         "analysed; "
	         "S%lld (%s), traced: %s",
	         (unsigned long long)n->differing, (unsigned long long)n->compared,
	         100.0 * (double)n->differing / (double)n->compared, (long long)input,
	         t ? path_basename(s->programs[t->program].path) : "?", why);
	mem_free(why);
}

// Which bytes were not symbolic, if there are such.
static void print_treatments(const struct session *s)
{
	struct treatments t;
	struct err err;
	if (treatments_read(s->store, &t, &err) < 0)
		return;
	if (t.whole < t.n) {
		char *sum = treatments_sum(&t);
		cli_line(stderr, "veer: %s%s", sum, s->options->verbose ? "" : "; --verbose names them");
		mem_free(sum);
	}
	for (size_t i = 0; s->options->verbose && i < t.n - t.whole; i++) {
		char *line = treatment_line(&t.v[i]);
		cli_line(stderr, "veer:   %s", line);
		mem_free(line);
	}
	treatments_release(&t);
}

// In plain words: what "ended" means.
static void print_done(const struct session *s, const struct campaign *c)
{
	const struct suite *u = &s->suite;
	size_t open = 0;
	for (size_t i = 0; i < u->n; i++)
		open += u->v[i].cut || u->v[i].unready;
	if (u->done && !open && u->max_distance < DISTANCES)
		fprintf(stderr, "veer: done: the tests' paths, and those that leave them, up to distance %u\n",
		        u->max_distance);
	else if (u->done && !open)
		fprintf(stderr, "veer: done: the tests' paths, and those that leave them, at all distances\n");
	if (c->counts.searched || c->searched > 0)
		fprintf(stderr, "veer: searched from the tests for %.1f s: %llu runs, %zu candidates left\n",
		        c->searched / s->options->run.jobs, (unsigned long long)c->counts.searched, c->candidates);
}

// `totals`: what there is now, in words.
static void print_end(const struct session *s, const struct campaign *c, const char *totals)
{
	const struct campaign_counts *n = &c->counts;
	const struct building_counts b = building_count(s->building);
	size_t dropped = 0, cut = 0, unready = 0;
	for (size_t i = 0; i < s->suite.n; i++) {
		dropped += s->suite.v[i].dropped && s->suite.v[i].outcome != OUTCOME_NO_INPUT;
		cut += s->suite.v[i].cut;
		unready += s->suite.v[i].unready;
	}
	if (s->live && !s->options->run.quiet)
		fputs("\r\033[K", stderr);
	fprintf(stderr,
	        "veer: %s after %.1f s at distance %u: %zu tests of %u programs, %llu checks in %llu places, %llu "
	        "runs; "
	        "%s\n",
	        *s->stop                                                        ? "stopped"
	        : !s->account.n[OUTCOME_ANALYSED] && !account_part(&s->account) ? "nothing analysed"
	        : c->complete && account_is_whole(&s->account)                  ? "complete"
	                                                                        : "ended",
	        c->elapsed, s->suite.distance, s->suite.n, s->n_programs, (unsigned long long)n->checks,
	        (unsigned long long)n->checks_unique, (unsigned long long)n->runs, totals);
	print_done(s, c);
	if (dropped)
		fprintf(stderr, "veer: %zu tests show nothing that others do not, and were only checked\n", dropped);
	if (cut)
		fprintf(stderr,
		        "veer: for %zu tests there was no time for all; a larger --budget, or the same again, "
		        "goes on\n",
		        cut);
	if (unready)
		fprintf(stderr,
		        "veer: %zu tests were not analysed, since the variants of %u of %u programs were not built in "
		        "time; what is built is kept: a larger --budget, or the same again, goes on\n",
		        unready, b.programs - b.programs_built, b.programs);
	cli_print_unconfirmed(c);
	print_treatments(s);
	if (s->options->verbose)
		cli_print_tests(&s->suite, s->programs);
	cli_print_account(&s->account);
	if (s->options->run.stats)
		cli_stats(c, (unsigned)s->options->run.jobs);
}

// --- the campaign ---------------------------------------------------------------------------------

struct count_errors {
	const struct choice *choice;
	size_t n;
};

static int count_error(void *opaque, const struct stored_finding *f)
{
	struct count_errors *c = opaque;
	c->n += choice_fails(c->choice, f);
	return 0;
}

static bool is_reported(void *opaque, const struct stored_finding *f)
{
	return choice_of(opaque, f) == CHOICE_REPORTED;
}

static bool is_test_code(void *opaque, const struct stored_finding *f)
{
	return choice_is_test_code(opaque, f);
}

// When, by which command and by which veer, for whoever reads a report.
static int write_origin(struct session *s, struct err *err)
{
	struct buf words = {0};
	int r = file_read("/proc/self/cmdline", &words, err);
	if (r == 0)
		r = store_set(s->store, "command-line", words.data, words.len, err);
	if (r == 0)
		r = store_set_number(s->store, "time", time(NULL), err);
	if (r == 0)
		r = store_set(s->store, "version", CONFIG_VERSION, strlen(CONFIG_VERSION), err);
	buf_release(&words);
	return r;
}

static int print_found(struct session *s, const struct campaign *c, struct err *err)
{
	struct found_totals totals, tests;
	struct buf text = {0};
	if (found_count(&s->found, &totals, &tests, err) < 0)
		return -1;
	found_totals_text(&totals, &text);
	print_end(s, c, text.data);
	buf_release(&text);
	return found_print_rest(&s->found, &totals, &tests, err);
}

// What became of the tests that no worker was at.
static int store_outcomes(struct session *s, struct err *err)
{
	for (size_t i = 0; i < s->suite.n; i++) {
		const struct suite_test *t = &s->suite.v[i];
		if (t->outcome != OUTCOME_ANALYSED && suite_store(t, s->store, err) < 0)
			return -1;
	}
	return 0;
}

static int write_results(struct session *s, const struct campaign *c, const char *command, struct err *err)
{
	struct cover_totals now = cover_totals(s->cover);
	if (store_begin(s->store, err) < 0)
		return -1;
	if (store_outcomes(s, err) < 0 || store_set(s->store, "command", command, strlen(command), err) < 0 ||
	    store_set_number(s->store, "programs", s->n_programs, err) < 0 ||
	    store_set_number(s->store, "hang-ms", 2 * s->options->run.timeout, err) < 0 ||
	    store_set(s->store, "cwd", s->cwd, strlen(s->cwd), err) < 0 ||
	    store_set(s->store, "sym", s->options->sym, strlen(s->options->sym), err) < 0 ||
	    store_set_number(s->store, "distance", s->suite.distance, err) < 0 ||
	    store_set_number(s->store, "search.seconds",
	                     store_get_number(s->store, "search.seconds", 0) +
	                             (int64_t)(c->searched / s->options->run.jobs),
	                     err) < 0 ||
	    store_set_number(s->store, "search.left", (int64_t)c->candidates, err) < 0 ||
	    store_set_number(s->store, "coverage.branches", now.edges.total, err) < 0 ||
	    store_set_number(s->store, "coverage.after", now.edges.covered, err) < 0 ||
	    (c->before.edges.total &&
	     store_set_number(s->store, "coverage.before", c->before.edges.covered, err) < 0) ||
	    found_store_root(&s->found, err) < 0 || write_origin(s, err) < 0 || store_commit(s->store, err) < 0)
		return -1;
	const struct results_choice choice = {.tells = is_reported, .is_test_code = is_test_code, .opaque = &s->choice};
	account_release(&s->account);
	if (account_read(&s->account, s->store, err) < 0)
		return -1;
	return results_write(s->store, s->options->output, &choice, err);
}

static int amplify(struct session *s, const char *command, struct err *err)
{
	const struct worker_setup worker = {
		.explored = &s->with.explored,
		.sanitized = &s->with.sanitized,
		.native = &s->with.native,
		.programs = s->programs,
		.n_programs = s->n_programs,
		.files = s->files,
		.sym = s->options->sym,
		.mode = s->mode,
		.limits = {.memory = (uint64_t)s->options->run.memory << 20},
		.cwd = s->cwd,
		.milliseconds = (unsigned)s->options->run.timeout,
		.hang_ms = 2 * (unsigned)s->options->run.timeout,
		.solver_ns = 1000000000u,
		.solver_conflicts = 100000,
		.decisions = 20000,
		.after = 1024,
		.cover = s->cover,
		.filter = filter_wants_all(&s->choice.filter) ? NULL : &s->choice.filter,
		.complain = cli_runs_natively,
	};
	const struct amplify_setup amplification = {
		.suite = &s->suite,
		.searches = s->searches,
		.strategy = {.kind = s->search.kind, .tuning = s->search.tuning},
		.graph_of = graph_of,
		.known = known,
		.awaits = awaits,
	};
	const struct campaign_setup setup = {
		.driver = &driver_amplify,
		.driver_setup = &amplification,
		.store = s->store,
		.worker = &worker,
		.worker_dirs = s->worker_dirs,
		.cover = s->cover,
		.seconds = s->seconds,
		.began = s->began,
		.jobs = (unsigned)s->options->run.jobs,
		.stop = s->stop,
		.progress = print_progress,
		.found = found,
		.differs = differs,
		.opaque = s,
	};
	struct campaign c;
	s->suite.max_distance = s->options->max_distance < 0 ? DISTANCES : (unsigned)s->options->max_distance;
	s->suite.factor = (unsigned)s->options->factor;
	const struct folders folders = folders_of(s);
	if (folders_complete(&folders, err) < 0 || targeting_load(s->store, &s->suite, err) < 0)
		return -1;
	int r = campaign_run(&c, &setup, err);
	struct err second;
	if (write_results(s, &c, command, r == 0 ? err : &second) < 0)
		r = -1;
	if (r == 0)
		r = print_found(s, &c, err);
	if (r == 0)
		r = choice_print(&s->choice, s->store, err);
	return r == 0 ? choice_write(&s->choice, s->store, s->cwd, err) : r;
}

// What was recorded stays; the limit is for what is made of it.
static void limit_store(struct session *s)
{
	enum { MADE = 1 << 30 };
	struct stat st;
	char *path = mem_printf("%s/veer.db", s->options->output);
	store_set_limit(s->store, MADE + (stat(path, &st) == 0 ? (uint64_t)st.st_size : 0));
	mem_free(path);
}

static int prepare(struct session *s, struct err *err)
{
	if (cli_find_tools(&s->with, err) < 0)
		return -1;
	s->cwd = path_cwd();
	s->cover = cover_new();
	char *folder = path_absolute(s->cwd, s->options->output);
	s->files = mem_printf("%s/files", folder);
	mem_free(folder);
	s->worker_dirs = cache_folder(&s->with.cache, "runs", 0755, err);
	s->store = s->worker_dirs ? store_open(s->options->output, false, err) : NULL;
	if (!s->store || load(s, err) < 0 || cli_store_hidden(s->store, err) < 0)
		return -1;
	s->found = (struct found){.store = s->store,
	                          .choice = &s->choice,
	                          .cover = s->cover,
	                          .cwd = s->cwd,
	                          .live = s->live && !s->options->run.quiet,
	                          .verbose = s->options->verbose};
	limit_store(s);
	begin_building(s);
	return 0;
}

static void release(struct session *s)
{
	building_free(s->building);
	for (uint32_t i = 0; s->graphs && i < s->n_programs; i++)
		if (s->graphs[i]) {
			graph_release(s->graphs[i]);
			mem_free(s->graphs[i]);
		}
	mem_free(s->graphs);
	if (s->store)
		store_close(s->store);
	if (s->worker_dirs)
		file_remove_tree(s->worker_dirs);
	cover_free(s->cover);
	suite_release(&s->suite);
	for (uint32_t i = 0; i < s->n_programs; i++) {
		mem_free((char *)s->programs[i].path);
		mem_free(s->reasons[i]);
		mem_free(s->libraries[i]);
	}
	mem_free(s->libraries);
	mem_free(s->loaded);
	mem_free(s->programs);
	mem_free(s->reasons);
	found_release(&s->found);
	choice_release(&s->choice);
	account_release(&s->account);
	cli_release_tools(&s->with);
	mem_free(s->worker_dirs);
	mem_free(s->files);
	mem_free(s->cwd);
}

int amplify_run(const struct amplify_options *o, const char *command, struct amplified *ret, struct err *err)
{
	struct session s = {.options = o, .live = isatty(2), .began = campaign_now()};
	double percent = 0;
	if (cli_budget(o->budget, &s.seconds) < 0 || amplify_sandbox(o, &s.mode, err) < 0 ||
	    choice_init(&s.choice, &o->choice, err) < 0)
		return -1;
	int searches = read_search(o, &s.search, err);
	if (searches < 0)
		return -1;
	s.searches = searches > 0;
	cli_prepare_process();
	s.stop = cli_catch_signals();
	int r = prepare(&s, err);
	if (r == 0)
		r = amplify(&s, command, err);
	struct count_errors errors = {.choice = &s.choice};
	if (r == 0)
		r = store_each_finding(s.store, count_error, &errors, err);
	cli_percent(o->min_analysed, &percent);
	*ret = (struct amplified){.errors = errors.n, .enough = r == 0 && cli_is_enough(&s.account, percent)};
	release(&s);
	return r;
}

static int run(int argc, char **argv)
{
	struct amplify_options o = AMPLIFY_DEFAULTS;
	struct err err;
	struct amplified a;
	int first = options_parse(&command_amplify, argc, argv, &o, &err);
	if (first == -2)
		return 0;
	if (first < 0 || amplify_check(&o, &err) < 0)
		return cli_usage_error(&command_amplify, err.text);
	if (first < argc)
		return cli_usage_error(&command_amplify, "there is no command to give: tests are those of the folder");
	if (amplify_run(&o, "amplify", &a, &err) < 0)
		return cli_fail(err.text);
	if (cli_interrupted())
		return cli_interrupted();
	if (a.errors && o.run.error_exit)
		return o.run.error_exit;
	return a.enough ? 0 : EXIT_FAIL;
}

const struct command command_amplify = {
	.name = "amplify",
	.usage = "[OPTION...]",
	.summary = "check recorded tests for all inputs, and on paths nearby",
	.details = "The second half of `veer test`, for tests that `veer record` has recorded. First the paths of all\n"
		   "tests are checked: can any input on the same path make a check fail? Then they are left, ever\n"
		   "farther before the places where something could go wrong. Every finding was confirmed by a run\n"
		   "with AddressSanitizer and UndefinedBehaviorSanitizer, and is a small change to a test.\n"
		   "What was done is kept in DIR: the same command goes on, and does nothing twice.\n"
		   "Exit status 1: no test was analysed, not even in part, or fewer than --min-analysed asks for. 130, "
		   "143: interrupted by\n"
		   "SIGINT, SIGTERM, after what was found is written.\n",
	.options = amplify_specs,
	.n_options = AMPLIFY_OPTIONS,
	.run = run,
};
