// veer explore: concolic testing of one program: cover it, report confirmed bugs.
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/campaigns.h"
#include "cli/found.h"
#include "cli/options.h"
#include "cli/search.h"
#include "explore/search_driver.h"
#include "findings/hostile.h"
#include "formats/afl_sync.h"
#include "formats/format.h"
#include "input/input_template.h"
#include "input/sym.h"
#include "session/session.h"

struct explore_options {
	const char *output, *budget, *sym, *seeds, *afl_sync, *afl_name;
	struct campaign_options run;
	struct exploring_options exploring;
	struct search_options search;
	struct choice_options choice; // checks, the tests' own code
	bool cpu, verbose;
};

static const struct option_spec options[] = {
	{"output", 'o', OPTION_TEXT, offsetof(struct explore_options, output), "DIR",
         "directory of the campaign; an existing one is continued (default veer-out)"},
	{"budget", 0, OPTION_TEXT, offsetof(struct explore_options, budget), "TIME",
         "time to explore: 30s, 5m, 2h (default: until nothing is left)"},
	{"cpu-time", 0, OPTION_FLAG, offsetof(struct explore_options, cpu), NULL,
         "count the budget, and print all times, in processor time of the whole campaign, not in wall time"},
	{"search", 0, OPTION_TEXT, offsetof(struct explore_options, search.search), "NAME",
         "search strategy: {} (default chameleon)"},
	{"weights", 0, OPTION_TEXT, offsetof(struct explore_options, search.weights), "FILE",
         "weights of features for --search param and round-robin: 40 numbers, a line each"},
	{"learn", 0, OPTION_TEXT, offsetof(struct explore_options, search.learn), "FILE",
         "with --search param: search for good weights and write them to FILE; with chameleon: write its best weights"},
	{"tune", 0, OPTION_TEXT, offsetof(struct explore_options, search.tune), "WORD,...",
         "settings of --search. Of cfds, cgs, param, round-robin, chameleon: runs=N of a heuristic; of chameleon: "
         "pool=N, offspring=N, "
         "top=PERCENT, exploit=PERCENT, sample (learns nothing), frontier=PERCENT (share of generational); paper: "
         "runs=4000,pool=100,frontier=0"},
	{"sym", 0, OPTION_TEXT, offsetof(struct explore_options, sym), "SOURCE,...",
         "inputs to make symbolic: argv, stdin, file:PATH, files, env, env:NAME (default argv,stdin; with @@: stdin "
         "and that file)"},
	{"seeds", 0, OPTION_TEXT, offsetof(struct explore_options, seeds), "PATH",
         "inputs to begin with: a folder of files for @@ or standard input, what AFL++, libFuzzer, KLEE or a tool of "
         "Test-Comp wrote"},
	{"afl-sync", 0, OPTION_TEXT, offsetof(struct explore_options, afl_sync), "DIR",
         "work beside AFL++: import what its instances find in DIR, their -o, and write inputs for them there"},
	{"afl-name", 0, OPTION_TEXT, offsetof(struct explore_options, afl_name), "NAME",
         "name of veer's own instance in DIR (default veer)"},
	EXPLORING_OPTIONS(struct explore_options, exploring),
	CHECKING_OPTIONS(struct explore_options, choice),
	{"verbose", 'v', OPTION_FLAG, offsetof(struct explore_options, verbose), NULL,
         "list warnings, and findings that are the same bug"},
	CAMPAIGN_OPTIONS(struct explore_options, run),
};

struct explore {
	struct explore_options options;
	struct session_setup setup;
	struct session session;
	struct input_template input_template;
	struct afl_sync *sync;
	struct choice choice;
	struct found found;
	struct search search;
	const struct graph *graph; // for strategies with episodes
	bool live;                 // progress is one line that changes
};

static struct explore *explore_of(const struct session *s)
{
	return s->setup->opaque;
}

// --- beside AFL++ ---------------------------------------------------------------------------------

static int give_away(struct explore *e, enum foreign_role role, const struct campaign *c, const struct input *in,
                     struct err *err)
{
	struct foreign f = {0};
	adapter_bytes(in, &f);
	int r = afl_sync_write(e->sync, role, f.bytes.data, f.bytes.len, c ? c->elapsed : 0, c ? c->counts.runs : 0,
	                       err);
	foreign_release(&f);
	return r;
}

static int corpus(struct session *s, const struct campaign *c, const struct input *in, struct err *err)
{
	return give_away(explore_of(s), FOREIGN_KEPT, c, in, err);
}

static int found(struct session *s, const struct verdict *v, const struct input *in, struct err *err)
{
	if (v->level == LEVEL_WARNING)
		return 0;
	return give_away(explore_of(s), v->level == LEVEL_ERROR ? FOREIGN_CRASH : FOREIGN_HANG, NULL, in, err);
}

static void more(void *opaque, struct input **ret, size_t *ret_n)
{
	enum { MOST = 256 }; // at a time: the campaign waits meanwhile
	struct explore *e = explore_of(opaque);
	struct foreigns all = {0};
	afl_sync_read(e->sync, MOST, &all);
	*ret = mem_zero((all.n + 1) * sizeof **ret);
	for (size_t i = 0; i < all.n; i++)
		adapter_input(&e->input_template.adapter, &all.v[i], &(*ret)[i]);
	*ret_n = all.n;
	foreigns_release(&all);
}

// --- printing -------------------------------------------------------------------------------------

static void print_progress(struct session *s, const struct campaign *c)
{
	const struct explore *e = explore_of(s);
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
	         s->bugs.errors, s->bugs.warnings);
	static double last;
	if (e->options.run.quiet || (!e->live && c->elapsed - last < 10))
		return;
	last = c->elapsed;
	fprintf(stderr, e->live ? "\r%s\033[K" : "%s\n", line);
}

static void print_bug(struct session *s, const struct bug *bug)
{
	found_print(&explore_of(s)->found, s, bug);
}

static void differs(struct session *s, const struct campaign *c, int64_t input, const char *first)
{
	const struct campaign_counts *n = &c->counts;
	char *why = hostile_clean(first, strlen(first));
	if (explore_of(s)->found.live)
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

struct explore_ending {
	const struct explore *explore;
	const struct campaign *campaign;
};

static bool is_interrupted(const struct explore *e, const struct campaign *c)
{
	return *e->setup.stop && !c->complete;
}

static void print_end(void *opaque, const char *totals)
{
	const struct explore_ending *end = opaque;
	const struct explore *e = end->explore;
	const struct campaign *c = end->campaign;
	struct cover_totals t = cover_totals(e->session.cover);
	if (e->found.live)
		fputs("\r\033[K", stderr);
	printf("%s after %.1f s: %llu runs, %lld of %lld branches, %lld of %lld lines; %s\n",
	       is_interrupted(e, c)    ? "stopped"
	       : !c->counts.with_input ? "nothing explored"
	       : c->complete           ? "complete"
	                               : "ended",
	       c->elapsed, (unsigned long long)c->counts.runs, (long long)t.edges.covered, (long long)t.edges.total,
	       (long long)t.lines.covered, (long long)t.lines.total, totals);
	cli_print_left_out(c);
	cli_print_unconfirmed(c);
	if (e->options.run.stats && c->search.len)
		cli_line(stdout, "search: %s", c->search.data);
	if (e->options.run.stats)
		cli_stats(c, e->setup.jobs);
	fflush(stdout);
}

static int write_weights(const char *path, const double *weights, struct err *err)
{
	struct buf text = {0};
	weights_print(weights, &text);
	int r = file_output(path, text.data, text.len, 0644, err);
	buf_release(&text);
	return r;
}

// --- the session ----------------------------------------------------------------------------------

// Variants are made before workers start, which cannot write to the cache.
static int build(struct explore *e, struct err *err)
{
	char *path = path_find_program(e->setup.argv[0]);
	if (!path)
		return err_set(err, "cannot run %s: there is no such program", e->setup.argv[0]);
	char *program = path_absolute(e->session.cwd, path);
	uint32_t number = programs_add(&e->session.programs, program, 0);
	mem_free(path);
	mem_free(program);
	if (programs_build(&e->session.programs, number, cli_runs_natively, err) < 0)
		return -1;
	return strategy_has_episodes(e->search.kind) ? programs_graph(&e->session.programs, number, &e->graph, err) : 0;
}

static int read_seeds(struct explore *e, char **argv, struct err *err)
{
	struct foreigns foreigns = {0};
	struct err why;
	if (e->options.seeds && formats_read(e->options.seeds, &foreigns, &why) < 0)
		return err_set(err, "--seeds: %s", why.text);
	if (foreigns.why)
		cli_left_out(&foreigns, e->options.seeds);
	int r = input_template_read(&e->input_template, argv, e->options.sym, e->options.seeds ? &foreigns : NULL, 0,
	                            e->session.cwd, err);
	foreigns_release(&foreigns);
	sym_clear_variables(e->options.sym); // the seeds have them
	e->setup.sym = e->input_template.sym.data;
	e->setup.largest = e->input_template.bounded ? &e->input_template.largest : NULL;
	return r;
}

static int prepare(struct explore *e, char **argv, struct err *err)
{
	if (session_begin(&e->session, &e->setup, err) < 0 || build(e, err) < 0 || read_seeds(e, argv, err) < 0)
		return -1;
	e->setup.stop = cli_catch_signals(); // up to here, nothing would be lost
	if (file_mkdirs(e->options.output, 0755, err) < 0)
		return -1;
	if (e->options.afl_sync && !(e->sync = afl_sync_new(e->options.afl_sync, e->options.afl_name, err)))
		return -1;
	e->setup.found = e->sync ? found : NULL;
	e->setup.corpus = e->sync ? corpus : NULL;
	return session_open(&e->session, true, err) < 0 ? -1 : bugs_count_before(&e->session.bugs, err);
}

// The driver, then what it came to. Returns the exit status.
static int explore(struct explore *e, struct err *err)
{
	const char *learn = e->options.search.learn;
	const struct search_setup search = {
		.strategy = {.kind = e->search.kind,
	                     .graph = e->graph,
	                     .tuning = e->search.tuning,
	                     .weights = e->search.has_weights ? e->search.weights : NULL,
	                     .random = (uint64_t)e->options.exploring.random},
		.seeds = e->input_template.seeds,
		.n_seeds = e->input_template.n_seeds,
		.more = e->sync ? more : NULL,
	};
	struct campaign c = {0};
	struct explore_ending end = {e, &c};
	size_t errors = 0;
	int r = session_run(&e->session, &driver_search, &search, &c, err);
	if (r == 0 && learn && c.has_weights)
		r = write_weights(learn, c.weights, err);
	if (r == 0)
		r = found_print_all(&e->found, &e->session, print_end, &end, &errors, err);
	if (r == 0 && learn && !c.has_weights)
		cli_line(stderr,
		         "veer: %s was not written, since no search episode ended; give --learn more runs or time",
		         learn);
	buf_release(&c.search);
	if (r < 0)
		return -1;
	if (is_interrupted(e, &c))
		return cli_interrupted();
	if (errors && e->options.run.error_exit)
		return e->options.run.error_exit;
	return is_something(&c) ? 0 : EXIT_FAIL;
}

// --- the command ----------------------------------------------------------------------------------

// 0: the options are consistent. Otherwise *err says what is wrong with them.
static int check(struct explore *e, struct err *err)
{
	const struct explore_options *o = &e->options;
	if (cli_budget(o->budget, &e->setup.seconds, err) < 0)
		return -1;
	if (search_read(&o->search, &e->search, err) < 0)
		return -1;
	if (o->search.learn && cli_can_output(o->search.learn, o->output, err) < 0)
		return -1;
	return o->sym ? sym_check(o->sym, err) : 0;
}

static void set_up(struct explore *e, char **argv)
{
	const struct explore_options *o = &e->options;
	struct session_setup *s = &e->setup;
	s->command = "explore";
	s->output = o->output;
	s->argv = argv;
	s->profile = PROFILE_search;
	cli_set_up(s, &o->run, &o->exploring);
	s->cpu = o->cpu;
	s->choice = &e->choice;
	s->progress = print_progress;
	s->bug = print_bug;
	s->differs = differs;
	s->opaque = e;
	e->live = isatty(2);
	e->found = (struct found){.live = e->live && !o->run.quiet, .verbose = o->verbose, .explored = true};
}

static int run(int argc, char **argv)
{
	struct explore e = {.options = {.output = "veer-out",
	                                .search = {.search = "chameleon"},
	                                .afl_name = "veer",
	                                .run = CAMPAIGN_DEFAULTS}};
	const struct explore_options *o = &e.options;
	struct err err;
	int first = options_parse(&command_explore, argc, argv, &e.options, &err);
	if (first == -2)
		return 0;
	if (first < 0)
		return cli_usage_error(&command_explore, err.text);
	if (first >= argc)
		return cli_usage_error(&command_explore, "no program to explore");
	if (check(&e, &err) < 0)
		return cli_usage_error(&command_explore, err.text);
	if (cli_floats(o->run.floats, &(unsigned){0}, &err) < 0)
		return cli_usage_error(&command_explore, err.text);
	if (cli_hide(o->run.hide, &err) < 0 || cli_sandbox(o->run.sandbox, o->run.unsafe, &e.setup.mode, &err) < 0)
		return cli_fail(err.text);
	if (choice_init(&e.choice, &o->choice, &err) < 0)
		return cli_usage_error(&command_explore, err.text);
	set_up(&e, argv + first);
	cli_prepare_process();
	int r = prepare(&e, argv + first, &err);
	if (r == 0)
		r = explore(&e, &err);
	session_close(&e.session);
	afl_sync_free(e.sync);
	choice_release(&e.choice);
	input_template_release(&e.input_template);
	return r < 0 ? cli_fail(err.text) : r;
}

const struct command command_explore = {
	.name = "explore",
	.usage = "[OPTION...] -- PROGRAM [ARGUMENT...]",
	.summary = "concolic testing of one program: cover it, report confirmed bugs",
	.details =
		"PROGRAM must be built by veer-cc. The search starts from its arguments, standard input and files; @@\n"
		"stands for a file whose content is input. Sizes can be given as for KLEE: --sym-arg N,\n"
		"--sym-args MIN MAX N, --sym-files NUM N, --sym-stdin N behind the program's name.\n"
		"Programs run in a sandbox: their changes to files are discarded, they have no network.\n"
		"Every finding was confirmed by a run of the program with AddressSanitizer and\n"
		"UndefinedBehaviorSanitizer; DIR/findings has each with its input, `veer replay ID` reproduces it.\n"
		"A campaign can be interrupted or killed; the same command continues it.\n"
		"Exit status 1: no seed could be explored; 130, 143: interrupted by SIGINT, SIGTERM, after the "
		"results\n"
		"are written.\n",
	.options = options,
	.n_options = OPTIONS_COUNT(options),
	.run = run,
};
