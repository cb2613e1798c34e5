// veer cover: inputs for functions and fragments of a program that no whole run reaches.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "cli/campaigns.h"
#include "cli/found.h"
#include "cli/options.h"
#include "explore/campaign.h"
#include "explore/fragment_driver.h"
#include "explore/fragment_plan.h"
#include "formats/format.h"
#include "input/fragment.h"
#include "input/input_template.h"
#include "input/sym.h"
#include "session/covered.h"
#include "session/library.h"
#include "session/recorded.h"
#include "session/results_possible.h"
#include "session/session.h"

struct cover_options {
	const char *output, *budget, *function, *file, *phases, *sym, *seeds, *tests;
	struct campaign_options run;
	struct exploring_options exploring;
	struct choice_options choice; // which possible findings are listed
	int depth, object_max;
	bool cpu, verbose;
};

static const struct option_spec options[] = {
	{"output", 'o', OPTION_TEXT, offsetof(struct cover_options, output), "DIR",
         "directory of the campaign; an existing one is continued (default veer-out)"},
	{"budget", 0, OPTION_TEXT, offsetof(struct cover_options, budget), "TIME",
         "time for all phases together: 30s, 5m, 2h (default: until nothing is left)"},
	{"function", 0, OPTION_TEXT, offsetof(struct cover_options, function), "GLOB",
         "functions to cover (default: all)"},
	{"file", 0, OPTION_TEXT, offsetof(struct cover_options, file), "GLOB",
         "cover the functions of these source files, by path or by its last parts (default: all)"},
	{"phases", 0, OPTION_TEXT, offsetof(struct cover_options, phases), "PHASE,...",
         "what runs make up: inp (nothing), ext (parameters and globals), stub (and results of callees), int (and "
         "local variables); default: all"},
	{"depth", 0, OPTION_NUMBER, offsetof(struct cover_options, depth), "N",
         "make up objects behind at most N pointers; deeper ones are null (default 4)"},
	{"object-max", 0, OPTION_NUMBER, offsetof(struct cover_options, object_max), "BYTES",
         "largest size of an object that is made up (default 65536)"},
	{"possible", 0, OPTION_FLAG, offsetof(struct cover_options, choice.possible), NULL,
         "list possible findings, of runs with state that veer made up"},
	{"possible-all", 0, OPTION_FLAG, offsetof(struct cover_options, choice.possible_all), NULL,
         "list possible findings, also those that a filter suppresses"},
	{"sym", 0, OPTION_TEXT, offsetof(struct cover_options, sym), "SOURCE,...",
         "inputs of whole runs to make symbolic: argv, stdin, file:PATH, files, env, env:NAME (default argv,stdin)"},
	{"tests", 0, OPTION_TEXT, offsetof(struct cover_options, tests), "DIR",
         "begin whole runs with the tests of this program that `veer record` or `veer test` recorded in DIR"},
	{"seeds", 0, OPTION_TEXT, offsetof(struct cover_options, seeds), "PATH",
         "inputs to begin whole runs with: a folder of files for @@ or standard input, what AFL++, libFuzzer, KLEE or "
         "a "
         "tool of Test-Comp wrote"},
	{"cpu-time", 0, OPTION_FLAG, offsetof(struct cover_options, cpu), NULL,
         "count the budget in processor time of all processes"},
	EXPLORING_OPTIONS(struct cover_options, exploring),
	{"verbose", 'v', OPTION_FLAG, offsetof(struct cover_options, verbose), NULL,
         "list every function, and findings that are the same bug"},
	CAMPAIGN_OPTIONS(struct cover_options, run),
};

struct cover_command {
	struct fragment_plan plan; // first: callbacks of the driver get a pointer to it
	struct cover_options options;
	struct session_setup setup;
	struct session session;
	struct input_template input_template;
	struct shape_program shapes;
	struct covered *covered; // what became of each function
	struct choice choice;
	struct found found;
	unsigned phases;
	struct possible_totals possible;
	char *program; // what is run: the program, or the host of a library
};

static struct cover_command *command_of(const struct session *s)
{
	return s->setup->opaque;
}

// --- printing -------------------------------------------------------------------------------------

static void print_progress(struct session *s, const struct campaign *c)
{
	const struct cover_command *e = command_of(s);
	struct cover_totals t = cover_totals(s->cover);
	static double last;
	if (e->options.run.quiet || (!e->found.live && c->elapsed - last < 10))
		return;
	last = c->elapsed;
	char line[256];
	snprintf(line, sizeof line,
	         "veer: %.0f s, %llu runs, %u/%u segments, %u/%u lines, %u/%u functions, %zu fragments left",
	         c->elapsed, (unsigned long long)c->counts.runs, t.segments.covered, t.segments.total, t.lines.covered,
	         t.lines.total, t.functions.covered, t.functions.total, c->waiting);
	fprintf(stderr, e->found.live ? "\r%s\033[K" : "%s\n", line);
}

static void print_bug(struct session *s, const struct bug *bug)
{
	found_print(&command_of(s)->found, s, bug);
}

struct possible_list {
	const struct cover_command *command;
	struct buf *out;
};

static bool is_interrupted(const struct cover_command *e, const struct campaign *c)
{
	return *e->setup.stop && !c->complete;
}

struct cover_ending {
	const struct cover_command *command;
	const struct campaign *campaign;
};

static int list_possible(void *opaque, const struct stored_finding *f)
{
	const struct cover_command *e = ((const struct possible_list *)opaque)->command;
	struct buf *out = ((const struct possible_list *)opaque)->out;
	struct possible p;
	if (f->level != LEVEL_POSSIBLE || choice_of(&e->choice, f) != CHOICE_REPORTED)
		return 0;
	possible_read(e->session.store, f->key, &p);
	enum possible_filter filter = possible_suppressed(&p);
	utf8_line(out, "  F%lld possible: %s at %s:%u in %s%s%s", (long long)f->id, f->kind, f->file, f->line,
	          f->function, filter ? "; suppressed: " : "", possible_filter_word(filter));
	for (size_t i = 0; i < p.conditions.n; i++)
		utf8_line(out, "      %s %s", i ? "and" : "when", p.conditions.v[i]);
	possible_release(&p);
	return 0;
}

// "3 possible findings (--possible lists them); 2 others are suppressed: 1 alias, 1 beyond; 1 was promoted".
static void print_possible(const struct cover_command *e, struct buf *out)
{
	const struct possible_totals *t = &e->possible;
	const struct possible_list list = {e, out};
	const struct choice_options *o = &e->options.choice;
	size_t left = t->by[FILTER_NONE], suppressed = possible_count_suppressed(t), n = 0;
	struct err ignored;
	if (left || (t->found && (suppressed || t->promoted)))
		buf_printf(out, "%zu possible finding%s%s", left, left == 1 ? "" : "s",
		           !left || o->possible || o->possible_all ? ""
		           : left == 1                             ? " (--possible lists it)"
		                                                   : " (--possible lists them)");
	for (unsigned f = FILTER_NONE + 1; f < FILTERS; f++)
		if (t->by[f])
			buf_printf(out, "%s%zu %s", n++ ? ", " : "; suppressed: ", t->by[f],
			           possible_filter_word((enum possible_filter)f));
	if (suppressed && !o->possible_all)
		buf_addstr(out, " (--possible-all)");
	if (t->promoted)
		buf_printf(out, "; %zu promoted to errors", t->promoted);
	if (t->found)
		buf_addch(out, '\n');
	store_each_finding(e->session.store, list_possible, (void *)&list, &ignored);
}

static void print_end(void *opaque, const char *totals)
{
	const struct cover_ending *end = opaque;
	const struct cover_command *e = end->command;
	const struct campaign *c = end->campaign;
	struct cover_totals t = cover_totals(e->session.cover);
	struct buf text = {0};
	if (e->found.live)
		fputs("\r\033[K", stderr);
	printf("%s after %.1f s: %llu runs, %u of %u segments, %u of %u lines, %u of %u functions; %s\n",
	       is_interrupted(e, c) ? "stopped"
	       : c->complete        ? "complete"
	                            : "ended",
	       c->elapsed, (unsigned long long)c->counts.runs, t.segments.covered, t.segments.total, t.lines.covered,
	       t.lines.total, t.functions.covered, t.functions.total, totals);
	covered_print(e->session.store, e->options.verbose, &text);
	print_possible(e, &text);
	fwrite(text.data, 1, text.len, stdout);
	buf_release(&text);
	if (e->options.run.stats)
		cli_stats(c, e->setup.jobs);
	fflush(stdout);
}

// --- the session ----------------------------------------------------------------------------------

static int add_shapes(void *opaque, const char *variant, struct err *err)
{
	struct cover_command *e = opaque;
	return shape_add_file(&e->shapes, variant, err);
}

static int build(struct cover_command *e, struct err *err)
{
	struct programs *programs = &e->session.programs;
	uint32_t number = programs_add(programs, e->program, 0);
	if (programs_build(programs, number, cli_runs_natively, err) < 0 ||
	    programs_each_variant(programs, number, add_shapes, e, err) < 0)
		return -1;
	const struct fragment_choice choice = {.function = e->options.function,
	                                       .file = e->options.file,
	                                       .depth = (uint32_t)e->options.depth,
	                                       .object_max = (uint32_t)e->options.object_max};
	fragment_plan_init(&e->plan, &e->shapes, &choice);
	if (!e->plan.n_wanted)
		return err_set(err, "no function of %s matches%s%s%s%s; see veer coverage --functions for their names",
		               e->program, e->options.function ? " --function " : "",
		               e->options.function ? e->options.function : "", e->options.file ? " --file " : "",
		               e->options.file ? e->options.file : "");
	return 0;
}

static void note_ended(void *opaque, const struct plan_fragment *f, const struct fragment_outcome *o)
{
	struct cover_command *e = opaque;
	covered_add(e->covered, f, o);
}

static int store_functions(struct session *s, const struct campaign *c, struct err *err)
{
	(void)c;
	struct cover_command *e = command_of(s);
	return choice_assess(&e->choice, s->store, err) < 0 ? -1 : covered_store(e->covered, s->store, err);
}

static int read_seeds(struct cover_command *e, struct err *err)
{
	struct foreigns foreigns = {0};
	struct err why;
	struct input_template *t = &e->input_template;
	if (e->options.seeds && formats_read(e->options.seeds, &foreigns, &why) < 0)
		return err_set(err, "--seeds: %s", why.text);
	if (foreigns.why)
		cli_left_out(&foreigns, e->options.seeds);
	int r = input_template_read(t, (char **)e->setup.argv, e->options.sym, e->options.seeds ? &foreigns : NULL, 0,
	                            e->session.cwd, err);
	foreigns_release(&foreigns);
	if (r < 0 || !e->options.tests)
		return r;
	int n = recorded_add(e->options.tests, e->program, &t->seeds, &t->n_seeds, &why);
	if (n < 0)
		return err_set(err, "--tests: %s", why.text);
	return n ? 0
	         : err_set(err, "--tests: no test of %s is recorded in %s; veer record -o %s -- CMD records them",
	                   e->program, e->options.tests, e->options.tests);
}

static int prepare(struct cover_command *e, struct err *err)
{
	if (session_begin(&e->session, &e->setup, err) < 0 || build(e, err) < 0 || read_seeds(e, err) < 0)
		return -1;
	e->setup.sym = e->input_template.sym.data;
	e->setup.stop = cli_catch_signals(); // up to here, nothing would be lost
	e->covered = covered_new(&e->plan, e->session.cover);
	return session_open(&e->session, true, err) < 0 ? -1 : bugs_count_before(&e->session.bugs, err);
}

static int cover(struct cover_command *e, struct err *err)
{
	const struct fragment_driver_setup driver = {
		.plan = {.functions = e->plan.progress,
	                 .n_functions = e->plan.functions.n,
	                 .phases = e->phases,
	                 .seconds = e->setup.seconds},
		.strategy = {.kind = STRATEGY_generational, .random = (uint64_t)e->options.exploring.random},
		.seeds = e->input_template.seeds,
		.n_seeds = e->input_template.n_seeds,
		.first = fragment_plan_first,
		.function = fragment_plan_function,
		.assess = fragment_plan_assess,
		.ended = note_ended,
		.opaque = e,
	};
	struct campaign c = {0};
	struct cover_ending end = {e, &c};
	size_t errors = 0;
	int r = session_run(&e->session, &driver_fragments, &driver, &c, err);
	if (r == 0)
		r = possible_count(e->session.store, &e->possible, err);
	if (r == 0)
		r = found_print_all(&e->found, &e->session, print_end, &end, &errors, err);
	buf_release(&c.search);
	if (r < 0)
		return -1;
	if (is_interrupted(e, &c))
		return cli_interrupted();
	return errors && e->options.run.error_exit ? e->options.run.error_exit : 0;
}

// --- the command ----------------------------------------------------------------------------------

static int check(struct cover_command *e, struct err *err)
{
	const struct cover_options *o = &e->options;
	if (cli_budget(o->budget, &e->setup.seconds, err) < 0)
		return -1;
	if (o->depth < 0 || o->depth > FRAGMENT_DEPTH_MAX)
		return err_set(err, "--depth wants a number from 1 to %d", FRAGMENT_DEPTH_MAX);
	if (o->object_max < 0 || o->object_max > FRAGMENT_OBJECT_MAX)
		return err_set(err, "--object-max wants a number from 1 to %d", FRAGMENT_OBJECT_MAX);
	e->phases = (1u << PHASES) - 1;
	if (o->phases && phases_read(o->phases, &e->phases, err) < 0)
		return -1;
	return o->sym ? sym_check(o->sym, err) : 0;
}

static void set_up(struct cover_command *e, char **argv)
{
	const struct cover_options *o = &e->options;
	struct session_setup *s = &e->setup;
	s->command = "cover";
	s->output = o->output;
	s->argv = argv;
	s->profile = PROFILE_cover;
	s->use = USE_fragments;
	cli_set_up(s, &o->run, &o->exploring);
	s->cpu = o->cpu;
	s->choice = &e->choice;
	s->progress = print_progress;
	s->bug = print_bug;
	s->store = store_functions;
	s->opaque = e;
	e->found = (struct found){.live = isatty(2) && !o->run.quiet, .verbose = o->verbose, .explored = true};
}

static void release(struct cover_command *e)
{
	covered_free(e->covered);
	fragment_plan_release(&e->plan);
	shape_free(&e->shapes);
	session_close(&e->session);
	choice_release(&e->choice);
	input_template_release(&e->input_template);
	mem_free(e->program);
}

// What to run: the program, or a host of the library.
static int find_program(struct cover_command *e, const char *name, struct err *err)
{
	char *cwd = path_cwd(), *found = path_find_program(name);
	char *absolute = path_absolute(cwd, found ? found : name), *path = path_clean(absolute),
	     *output = path_absolute(cwd, e->options.output);
	int r = 0;
	if (path && library_is(path)) {
		char *folder = mem_printf("%s/host", output);
		e->program = library_host(path, folder, err);
		e->phases &= ~(1u << PHASE_INP); // there is no main
		mem_free(folder);
		r = e->program ? 0 : -1;
	} else if (path && found) {
		e->program = mem_strdup(path);
	} else {
		r = err_set(err, "cannot run %s: there is no such program", name);
	}
	mem_free(cwd);
	mem_free(found);
	mem_free(absolute);
	mem_free(path);
	mem_free(output);
	return r;
}

static int run(int argc, char **argv)
{
	struct cover_command e = {.options = {.output = "veer-out", .run = CAMPAIGN_DEFAULTS}};
	e.options.run.timeout = 250; // fragments are short, and what is made up may never end
	const struct cover_options *o = &e.options;
	struct err err;
	int first = options_parse(&command_cover, argc, argv, &e.options, &err);
	if (first == -2)
		return 0;
	if (first < 0)
		return cli_usage_error(&command_cover, err.text);
	if (first >= argc)
		return cli_usage_error(&command_cover, "no program or library to cover");
	if (check(&e, &err) < 0)
		return cli_usage_error(&command_cover, err.text);
	if (cli_floats(o->run.floats, &(unsigned){0}, &err) < 0)
		return cli_usage_error(&command_cover, err.text);
	if (cli_hide(o->run.hide, &err) < 0 || cli_sandbox(o->run.sandbox, o->run.unsafe, &e.setup.mode, &err) < 0)
		return cli_fail(err.text);
	if (choice_init(&e.choice, &o->choice, &err) < 0)
		return cli_usage_error(&command_cover, err.text);
	if (argv[first + 1] && strcmp(argv[first + 1], "--") == 0) { // between the program and its arguments
		argv[first + 1] = argv[first];
		first++;
	}
	set_up(&e, argv + first);
	cli_prepare_process();
	int r = find_program(&e, argv[first], &err);
	if (r == 0)
		r = prepare(&e, &err);
	if (r == 0)
		r = cover(&e, &err);
	release(&e);
	return r < 0 ? cli_fail(err.text) : r;
}

const struct command command_cover = {
	.name = "cover",
	.usage = "[OPTION...] PROGRAM|LIBRARY [-- ARGUMENT...]",
	.summary = "make inputs for functions and fragments that no whole run reaches",
	.details =
		"PROGRAM or LIBRARY must be built by veer-cc. veer runs the program on symbolic input, then each of "
		"its\n"
		"functions with parameters and globals that it makes up, then with callees replaced by stubs, then "
		"from\n"
		"the middle of the function, as long as segments (paths from one marker to the next) are not covered.\n"
		"A bug that such a run shows holds only under a precondition that nobody has checked: it is a "
		"possible\n"
		"finding, listed by --possible, and never counted by --error-exitcode.\n"
		"`veer export --as c` writes a unit test for each input that enters a function and covers something.\n"
		"A campaign can be interrupted or killed; the same command continues it.\n",
	.options = options,
	.n_options = OPTIONS_COUNT(options),
	.run = run,
};
