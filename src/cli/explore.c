// veer explore: grow inputs that cover a program, and report confirmed bugs.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/campaigns.h"
#include "cli/choice.h"
#include "cli/folders.h"
#include "cli/found.h"
#include "cli/options.h"
#include "cli/search.h"
#include "explore/campaign.h"
#include "explore/search_driver.h"
#include "findings/hostile.h"
#include "formats/afl_sync.h"
#include "formats/format.h"
#include "instrument/build.h"
#include "report/results.h"
#include "run/input_template.h"
#include "run/sandbox.h"
#include "run/server.h"
#include "run/sym.h"

struct explore_options {
	const char *output, *budget, *sym, *seeds, *afl_sync, *afl_name;
	struct campaign_options run;
	struct search_options search;
	struct choice_options choice; // only of the tests' own code
	int random, runs;
	bool deterministic, cpu, verbose;
};

static const struct option_spec options[] = {
	{"output", 'o', OPTION_TEXT, offsetof(struct explore_options, output), "DIR",
         "where the campaign is kept; one that is there goes on (default veer-out)"},
	{"budget", 0, OPTION_TEXT, offsetof(struct explore_options, budget), "TIME",
         "how long: 30s, 5m, 2h (default: until nothing is left)"},
	{"cpu-time", 0, OPTION_FLAG, offsetof(struct explore_options, cpu), NULL,
         "the budget, and all times that are told, are processor time of the whole campaign, not by the clock"},
	{"runs", 0, OPTION_NUMBER, offsetof(struct explore_options, runs), "N", "how many runs (default: any number)"},
	{"search", 0, OPTION_TEXT, offsetof(struct explore_options, search.search), "NAME",
         "which way is tried next: chameleon (default), generational, dfs, bfs, random, cfds, cgs, param, round-robin"},
	{"weights", 0, OPTION_TEXT, offsetof(struct explore_options, search.weights), "FILE",
         "of --search param and round-robin: 40 numbers, a line each"},
	{"learn", 0, OPTION_TEXT, offsetof(struct explore_options, search.learn), "FILE",
         "with --search param: look for good weights, and write them there; with chameleon: write the best it had"},
	{"tune", 0, OPTION_TEXT, offsetof(struct explore_options, search.tune), "WORD,...",
         "of cfds, cgs, param, round-robin, chameleon: runs=N of a heuristic; of chameleon: pool=N, offspring=N, "
         "top=PERCENT, exploit=PERCENT, sample (learns nothing), wide=PERCENT (share of generational); paper: "
         "runs=4000,pool=100,wide=0"},
	{"sym", 0, OPTION_TEXT, offsetof(struct explore_options, sym), "SOURCE,...",
         "what is input: argv, stdin, file:PATH, files, env, env:NAME (default argv,stdin; with @@: stdin and that "
         "file)"},
	{"seeds", 0, OPTION_TEXT, offsetof(struct explore_options, seeds), "PATH",
         "inputs to begin with: a folder of files for @@ or standard input, what AFL++, libFuzzer, KLEE or a tool of "
         "Test-Comp wrote"},
	{"afl-sync", 0, OPTION_TEXT, offsetof(struct explore_options, afl_sync), "DIR",
         "work beside AFL++: take what its instances find in DIR, the folder after their -o, and give them ours"},
	{"afl-name", 0, OPTION_TEXT, offsetof(struct explore_options, afl_name), "NAME",
         "which of the instances in DIR we are (default veer)"},
	{"random-seed", 0, OPTION_NUMBER, offsetof(struct explore_options, random), "N",
         "for strategies that leave something to chance"},
	{"deterministic", 0, OPTION_FLAG, offsetof(struct explore_options, deterministic), NULL,
         "no clock decides anything: with -j1 and --runs the same every time"},
	{"test-code", 0, OPTION_TEXT, offsetof(struct explore_options, choice.test_code), "LIST",
         "globs of the tests' own sources, or none (default: by convention, as tests/, test_*.c)"},
	{"test-code-errors", 0, OPTION_FLAG, offsetof(struct explore_options, choice.test_code_errors), NULL,
         "count errors in the tests' own code for --error-exitcode"},
	{"verbose", 'v', OPTION_FLAG, offsetof(struct explore_options, verbose), NULL,
         "list warnings, and findings that are the same bug"},
	CAMPAIGN_OPTIONS(struct explore_options, run),
};

struct session {
	struct explore_options options;
	struct campaign_tools with;
	struct input_template input_template;
	struct store *store;
	struct cover *cover;
	struct afl_sync *sync;
	struct choice choice;
	struct found found;
	char *program, *cwd, *worker_dirs;
	double seconds;
	struct search search;
	struct graph graph;
	enum sandbox_mode mode;
	volatile sig_atomic_t *stop; // set: end in good order
	bool live;                   // progress is one line that changes
};

// --- building -------------------------------------------------------------------------------------

static int take_variant(void *opaque, const char *variant, struct err *err)
{
	struct session *s = opaque;
	if (cover_add(s->cover, variant, err) < 0)
		return -1;
	return strategy_has_episodes(s->search.kind) ? graph_add(&s->graph, variant, err) : 0;
}

// Variants are made before workers start, which cannot write to the cache.
static int build(struct session *s, const char *name, struct err *err)
{
	char *found = path_find_program(name);
	if (!found)
		return err_set(err, "cannot run %s: there is no such program", name);
	s->program = path_absolute(s->cwd, found);
	mem_free(found);
	const struct server_build explored = {.built = take_variant,
	                                      .opaque = s,
	                                      .complain = cli_runs_natively,
	                                      .must_load = true},
				  sanitized = {.complain = cli_runs_natively};
	graph_init(&s->graph, s->cover);
	if (server_build(&s->with.explored, s->program, &explored, err) < 0 ||
	    server_build(&s->with.sanitized, s->program, &sanitized, err) < 0)
		return -1;
	graph_finish(&s->graph);
	return 0;
}

// --- beside AFL++ ---------------------------------------------------------------------------------

static int give_away(struct session *s, enum foreign_role role, const struct campaign *c, const struct input *in,
                     struct err *err)
{
	struct foreign f = {0};
	adapter_bytes(in, &f);
	int r = afl_sync_write(s->sync, role, f.bytes.data, f.bytes.len, c ? c->elapsed : 0, c ? c->counts.runs : 0,
	                       err);
	foreign_release(&f);
	return r;
}

static int corpus(void *opaque, const struct campaign *c, const struct input *in, struct err *err)
{
	return give_away(opaque, FOREIGN_KEPT, c, in, err);
}

static void more(void *opaque, struct input **ret, size_t *ret_n)
{
	enum { MOST = 256 }; // at a time: the campaign waits meanwhile
	struct session *s = opaque;
	struct foreigns all = {0};
	afl_sync_read(s->sync, MOST, &all);
	*ret = mem_zero((all.n + 1) * sizeof **ret);
	for (size_t i = 0; i < all.n; i++)
		adapter_input(&s->input_template.adapter, &all.v[i], &(*ret)[i]);
	*ret_n = all.n;
	foreigns_release(&all);
}

// --- telling --------------------------------------------------------------------------------------

static void print_progress(void *opaque, const struct campaign *c)
{
	struct session *s = opaque;
	const struct campaign_counts *n = &c->counts;
	struct cover_totals t = cover_totals(s->cover);
	char line[320], replays[64] = "";
	if (c->replays)
		snprintf(replays, sizeof replays, ", %zu earlier inputs to replay", c->replays);
	snprintf(line, sizeof line,
	         "veer: %.0f s, %llu runs, %llu inputs, %lld/%lld branches, %lld/%lld lines, %zu waiting%s, %zu "
	         "errors, %zu warnings",
	         c->elapsed, (unsigned long long)n->runs, (unsigned long long)n->inputs, (long long)t.edges.covered,
	         (long long)t.edges.total, (long long)t.lines.covered, (long long)t.lines.total, c->waiting, replays,
	         s->found.errors, s->found.warnings);
	static double last;
	if (s->options.run.quiet || (!s->live && c->elapsed - last < 10))
		return;
	last = c->elapsed;
	fprintf(stderr, s->live ? "\r%s\033[K" : "%s\n", line);
}

static struct folders folders_of(const struct session *s)
{
	return (struct folders){
		.store = s->store, .output = s->options.output, .cwd = s->cwd, .sym = s->input_template.sym.data};
}

static int found(void *opaque, const struct stored_finding *f, const struct verdict *v, const struct input *in,
                 int64_t snapshot, struct err *err)
{
	struct session *s = opaque;
	found_new(&s->found, f);
	if (s->sync && v->level != LEVEL_WARNING &&
	    give_away(s, v->level == LEVEL_ERROR ? FOREIGN_CRASH : FOREIGN_HANG, NULL, in, err) < 0)
		return -1;
	const struct folders folders = folders_of(s);
	return folders_write(&folders, f, v, in, snapshot, err);
}

static void differs(void *opaque, const struct campaign *c, int64_t input, const char *first)
{
	const struct session *s = opaque;
	const struct campaign_counts *n = &c->counts;
	char *why = hostile_clean(first, strlen(first));
	if (s->live && !s->options.run.quiet)
		fputs("\r\033[K", stderr);
	cli_line(stderr,
	         "veer: %llu of the first %llu inputs (%.0f%%) end differently traced than natively, and are not "
	         "explored "
	         "from; input %lld, traced: %s",
	         (unsigned long long)n->differing, (unsigned long long)n->compared,
	         100.0 * (double)n->differing / (double)n->compared, (long long)input, why);
	mem_free(why);
}

// Whether anything was explored. If not, says why.
static bool is_something(const struct campaign *c)
{
	const struct campaign_counts *n = &c->counts;
	if (n->runs + n->reruns && !n->with_input)
		fprintf(stderr,
		        "veer: nothing to explore: no run had input that veer can change; give the program arguments, "
		        "standard input or files, or say --sym\n");
	else if (n->differing && !(n->runs + n->reruns))
		fprintf(stderr, "veer: nothing was explored: that nothing was found says nothing\n");
	return n->with_input || !(n->runs + n->reruns + n->differing);
}

static bool is_interrupted(const struct session *s, const struct campaign *c)
{
	return *s->stop && !c->complete;
}

static void print_end(const struct session *s, const struct campaign *c, const char *findings)
{
	const struct campaign_counts *n = &c->counts;
	struct cover_totals t = cover_totals(s->cover);
	if (s->live && !s->options.run.quiet)
		fputs("\r\033[K", stderr);
	printf("%s after %.1f s: %llu runs, %lld of %lld branches, %lld of %lld lines; %s\n",
	       is_interrupted(s, c)    ? "stopped"
	       : !c->counts.with_input ? "nothing explored"
	       : c->complete           ? "complete"
	                               : "ended",
	       c->elapsed, (unsigned long long)n->runs, (long long)t.edges.covered, (long long)t.edges.total,
	       (long long)t.lines.covered, (long long)t.lines.total, findings);
	cli_print_unconfirmed(c);
	if (s->options.run.stats && c->search.len)
		cli_line(stdout, "search: %s", c->search.data);
	if (s->options.run.stats)
		cli_stats(c, (unsigned)s->options.run.jobs);
	fflush(stdout);
}

// Returns how many errors there are for the exit status, -1 with *err filled.
static int print_found(struct session *s, const struct campaign *c, struct err *err)
{
	struct found_totals totals, tests;
	struct buf text = {0};
	if (found_count(&s->found, &totals, &tests, err) < 0)
		return -1;
	found_totals_text(&totals, &text);
	print_end(s, c, text.data);
	buf_release(&text);
	if (found_print_rest(&s->found, &totals, &tests, err) < 0)
		return -1;
	return (int)(totals.errors + (s->options.choice.test_code_errors ? tests.errors : 0));
}

// --- the campaign ---------------------------------------------------------------------------------

static int remember(struct session *s, char **argv, struct err *err)
{
	struct buf words = {0}, was = {0};
	for (char **w = argv; *w; w++)
		buf_add(&words, *w, strlen(*w) + 1);
	int r = 0;
	if (store_get(s->store, "argv", &was) && (was.len != words.len || memcmp(was.data, words.data, words.len) != 0))
		r = err_set(err, "%s has a campaign of another command; choose another folder with -o",
		            s->options.output);
	if (r == 0)
		r = store_begin(s->store, err);
	if (r == 0 &&
	    (store_set(s->store, "argv", words.data, words.len, err) < 0 ||
	     store_set(s->store, "program", s->program, strlen(s->program), err) < 0 ||
	     store_set(s->store, "cwd", s->cwd, strlen(s->cwd), err) < 0 || cli_store_hidden(s->store, err) < 0 ||
	     store_set_number(s->store, "hang-ms", 2 * s->options.run.timeout, err) < 0 ||
	     store_set_number(s->store, "coverage.branches", cover_totals(s->cover).edges.total, err) < 0 ||
	     store_set(s->store, "command", "explore", 7, err) < 0 ||
	     store_set(s->store, "sym", s->input_template.sym.data, s->input_template.sym.len, err) < 0))
		r = -1;
	if (r == 0)
		r = store_commit(s->store, err);
	buf_release(&words);
	buf_release(&was);
	return r;
}

static bool is_reported(void *opaque, const struct stored_finding *f)
{
	return choice_of(opaque, f) == CHOICE_REPORTED;
}

static bool is_test_code(void *opaque, const struct stored_finding *f)
{
	return choice_is_test_code(opaque, f);
}

static int write_results(struct session *s, const struct campaign *c, struct err *err)
{
	struct cover_totals now = cover_totals(s->cover);
	if (store_begin(s->store, err) < 0)
		return -1;
	if (store_set_number(s->store, "coverage.branches", now.edges.total, err) < 0 ||
	    store_set_number(s->store, "coverage.after", now.edges.covered, err) < 0 ||
	    (c->first_session && store_set_number(s->store, "coverage.before", c->before.edges.covered, err) < 0) ||
	    found_store_root(&s->found, err) < 0 || store_commit(s->store, err) < 0)
		return -1;
	const struct results_choice choice = {.tells = is_reported, .is_test_code = is_test_code, .opaque = &s->choice};
	return results_write(s->store, s->options.output, &choice, err);
}

static int write_weights(const char *path, const double *weights, struct err *err)
{
	struct buf text = {0};
	weights_print(weights, &text);
	int r = file_output(path, text.data, text.len, 0644, err);
	buf_release(&text);
	return r;
}

static int explore(struct session *s, char **argv, struct err *err)
{
	const struct worker_program program = {.path = s->program};
	const struct worker_setup worker = {
		.explored = &s->with.explored,
		.sanitized = &s->with.sanitized,
		.native = &s->with.native,
		.programs = &program,
		.n_programs = 1,
		.sym = s->input_template.sym.data,
		.mode = s->mode,
		.limits = {.memory = (uint64_t)s->options.run.memory << 20},
		.cwd = s->cwd,
		.milliseconds = (unsigned)s->options.run.timeout,
		.hang_ms = 2 * (unsigned)s->options.run.timeout,
		.solver_ns = s->options.deterministic ? 0 : 2000000000u,
		.solver_conflicts = 200000,
		.decisions = 20000,
		.cover = s->cover,
		.largest = s->input_template.bounded ? &s->input_template.largest : NULL,
		.complain = cli_runs_natively,
	};
	const struct search_setup search = {
		.strategy = {.kind = s->search.kind,
	                     .graph = &s->graph,
	                     .tuning = s->search.tuning,
	                     .weights = s->search.has_weights ? s->search.weights : NULL,
	                     .random = (uint64_t)s->options.random},
		.seeds = s->input_template.seeds,
		.n_seeds = s->input_template.n_seeds,
		.more = s->sync ? more : NULL,
	};
	const struct campaign_setup setup = {
		.driver = &driver_search,
		.driver_setup = &search,
		.store = s->store,
		.worker = &worker,
		.worker_dirs = s->worker_dirs,
		.cover = s->cover,
		.deterministic = s->options.deterministic,
		.seconds = s->seconds,
		.cpu = s->options.cpu,
		.runs = (uint64_t)s->options.runs,
		.jobs = (unsigned)s->options.run.jobs,
		.stop = s->stop,
		.progress = print_progress,
		.found = found,
		.differs = differs,
		.corpus = s->sync ? corpus : NULL,
		.opaque = s,
	};
	struct campaign c;
	if (remember(s, argv, err) < 0)
		return -1;
	const struct folders folders = folders_of(s);
	if (folders_complete(&folders, err) < 0)
		return -1;
	int r = campaign_run(&c, &setup, err);
	struct err second;
	if (write_results(s, &c, r == 0 ? err : &second) < 0)
		r = -1;
	if (r == 0 && s->options.search.learn && c.has_weights)
		r = write_weights(s->options.search.learn, c.weights, err);
	int errors = r == 0 ? print_found(s, &c, err) : -1;
	if (r == 0 && s->options.search.learn && !c.has_weights)
		cli_line(stderr, "veer: %s was not written, since no walk ended; give --learn more runs or time",
		         s->options.search.learn);
	buf_release(&c.search);
	if (errors < 0)
		return -1;
	if (is_interrupted(s, &c))
		return cli_interrupted();
	if (errors && s->options.run.error_exit)
		return s->options.run.error_exit;
	return is_something(&c) ? 0 : EXIT_FAIL;
}

static int read_seeds(struct session *s, char **argv, struct err *err)
{
	struct foreigns foreigns = {0};
	struct err why;
	if (s->options.seeds && formats_read(s->options.seeds, &foreigns, &why) < 0)
		return err_set(err, "--seeds: %s", why.text);
	if (foreigns.why)
		cli_left_out(&foreigns, s->options.seeds);
	int r = input_template_read(&s->input_template, argv, s->options.sym, s->options.seeds ? &foreigns : NULL, 0,
	                            s->cwd, err);
	foreigns_release(&foreigns);
	sym_clear_variables(s->options.sym); // the seeds have them
	return r;
}

// What is shown while it works has what earlier sessions found.
static int count_before(struct session *s, struct err *err)
{
	struct found_totals totals, tests;
	found_set_root(&s->found);
	if (found_count(&s->found, &totals, &tests, err) < 0)
		return -1;
	s->found.errors = totals.errors + tests.errors;
	s->found.warnings = totals.warnings + tests.warnings;
	return 0;
}

static int prepare(struct session *s, char **argv, struct err *err)
{
	if (cli_find_tools(&s->with, err) < 0)
		return -1;
	s->cwd = path_cwd();
	s->cover = cover_new();
	if (build(s, argv[0], err) < 0)
		return -1;
	if (read_seeds(s, argv, err) < 0)
		return -1;
	s->stop = cli_catch_signals(); // up to here, nothing would be lost
	if (file_mkdirs(s->options.output, 0755, err) < 0)
		return -1;
	if (s->options.afl_sync && !(s->sync = afl_sync_new(s->options.afl_sync, s->options.afl_name, err)))
		return -1;
	s->worker_dirs = cache_folder(&s->with.cache, "runs", 0755, err);
	s->store = s->worker_dirs ? store_open(s->options.output, true, err) : NULL;
	s->found = (struct found){.store = s->store,
	                          .choice = &s->choice,
	                          .cover = s->cover,
	                          .cwd = s->cwd,
	                          .live = s->live && !s->options.run.quiet,
	                          .verbose = s->options.verbose,
	                          .explored = true};
	return s->store ? count_before(s, err) : -1;
}

static void release(struct session *s)
{
	if (s->store)
		store_close(s->store);
	if (s->worker_dirs)
		file_remove_tree(s->worker_dirs);
	graph_release(&s->graph);
	cover_free(s->cover);
	afl_sync_free(s->sync);
	found_release(&s->found);
	choice_release(&s->choice);
	input_template_release(&s->input_template);
	cli_release_tools(&s->with);
	mem_free(s->program);
	mem_free(s->cwd);
	mem_free(s->worker_dirs);
}

static int run(int argc, char **argv)
{
	struct session s = {.options = {.output = "veer-out",
	                                .search = {.search = "chameleon"},
	                                .afl_name = "veer",
	                                .run = CAMPAIGN_DEFAULTS}};
	struct err err;
	int first = options_parse(&command_explore, argc, argv, &s.options, &err);
	if (first == -2)
		return 0;
	if (first < 0)
		return cli_usage_error(&command_explore, err.text);
	if (first >= argc)
		return cli_usage_error(&command_explore, "no program to explore");
	if (cli_budget(s.options.budget, &s.seconds) < 0)
		return cli_usage_error(&command_explore, "--budget wants a time such as 30s, 5m or 2h");
	if (search_read(&s.options.search, &s.search, &err) < 0)
		return cli_usage_error(&command_explore, err.text);
	if (s.options.search.learn && cli_can_output(s.options.search.learn, s.options.output, &err) < 0)
		return cli_usage_error(&command_explore, err.text);
	if (s.options.sym && sym_check(s.options.sym, &err) < 0)
		return cli_usage_error(&command_explore, err.text);
	if (cli_hide(s.options.run.hide, &err) < 0 ||
	    cli_sandbox(s.options.run.sandbox, s.options.run.unsafe, &s.mode, &err) < 0)
		return cli_fail(err.text);
	if (choice_init(&s.choice, &s.options.choice, &err) < 0)
		return cli_usage_error(&command_explore, err.text);
	s.live = isatty(2);
	cli_prepare_process();
	int r = prepare(&s, argv + first, &err);
	if (r == 0)
		r = explore(&s, argv + first, &err);
	release(&s);
	return r < 0 ? cli_fail(err.text) : r;
}

const struct command command_explore = {
	.name = "explore",
	.usage = "[OPTION...] -- PROGRAM [ARGUMENT...]",
	.summary = "grow inputs that cover a program, and report confirmed bugs",
	.details =
		"PROGRAM must be built by veer-cc. Its arguments, standard input and files are where it begins; @@\n"
		"stands for a file whose content is input. Sizes can be given as for KLEE: --sym-arg N,\n"
		"--sym-args MIN MAX N, --sym-files NUM N, --sym-stdin N behind the program's name.\n"
		"Programs run in a sandbox: what they do to files is thrown away, they have no network.\n"
		"Every finding was confirmed by a run of the program with AddressSanitizer and\n"
		"UndefinedBehaviorSanitizer; DIR/findings/ has each with its input, `veer replay ID` runs it again.\n"
		"A campaign can be interrupted or killed; the same command goes on with it.\n"
		"Exit status 1: no input could be explored from. 130, 143: interrupted by SIGINT, SIGTERM, after what\n"
		"was found is written.\n",
	.options = options,
	.n_options = OPTIONS_COUNT(options),
	.run = run,
};
