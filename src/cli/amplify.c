// veer amplify: more out of recorded tests.
#include "cli/amplify.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/account.h"
#include "cli/amplify_internal.h"
#include "cli/search.h"
#include "config.h"
#include "explore/amplify.h"
#include "input/sym.h"
#include "session/settings.h"

const struct option_spec amplify_specs[AMPLIFY_OPTIONS] = {
	{"output", 'o', OPTION_TEXT, offsetof(struct amplify_options, output), "DIR",
         "directory of the campaign; an existing one is continued (default veer-out)"},
	{"budget", 0, OPTION_TEXT, offsetof(struct amplify_options, budget), "TIME",
         "time for all tests together: 30s, 5m, 2h (default 10m)"},
	{"cpu-time", 0, OPTION_FLAG, offsetof(struct amplify_options, cpu), NULL,
         "count the budget, and print all times, in processor time of the whole campaign, not in wall time"},
	{"max-distance", 0, OPTION_NUMBER, offsetof(struct amplify_options, max_distance), "N",
         "largest number of symbolic branches before a sensitive operation at which to diverge, and no search after "
         "that; 0: only check the paths themselves (default: no limit)"},
	{"search", 0, OPTION_TEXT, offsetof(struct amplify_options, search), "NAME",
         "search strategy beside and after the distances: {}, or none "
         "(default chameleon; none with --max-distance)"},
	{"depth-factor", 0, OPTION_NUMBER, offsetof(struct amplify_options, factor), "N",
         "follow a path that diverged at distance D for N times D branches (default 2)"},
	{"sym", 0, OPTION_TEXT, offsetof(struct amplify_options, sym), "SOURCE,...",
         "input of the tests to make symbolic: argv, stdin, files, file:PATH, test-env, env, env:NAME (default "
         "argv,stdin,files,test-env)"},
	{"include", 0, OPTION_TEXT, offsetof(struct amplify_options, choice.include), "LIST",
         "analyse only these: file:GLOB, function:GLOB, program:GLOB; a bare GLOB is a file or program"},
	{"exclude", 0, OPTION_TEXT, offsetof(struct amplify_options, choice.exclude), "LIST",
         "analyse all but these: file:GLOB, function:GLOB, program:GLOB"},
	{"sample", 0, OPTION_TEXT, offsetof(struct amplify_options, choice.sample), "K|P%",
         "number or share of tests to analyse, chosen at random"},
	{"random-seed", 0, OPTION_NUMBER, offsetof(struct amplify_options, choice.random), "N",
         "seed of --sample (default 0)"},
	{"baseline", 0, OPTION_TEXT, offsetof(struct amplify_options, choice.baseline), "FILE",
         "file of known findings, which are not reported"},
	{"write-baseline", 0, OPTION_TEXT, offsetof(struct amplify_options, choice.write_baseline), "FILE",
         "write all findings of this session to a baseline FILE"},
	{"suppressions", 0, OPTION_TEXT, offsetof(struct amplify_options, choice.suppressions), "FILE",
         "file of findings that are not reported, a line each: KIND FILE FUNCTION"},
	CHECKING_OPTIONS(struct amplify_options, choice),
	{"min-analysed", 0, OPTION_TEXT, offsetof(struct amplify_options, min_analysed), "P%",
         "fail (exit status 1) when a smaller share of the tests was wholly analysed (default: when none was, not even "
         "in part)"},
	{"verbose", 'v', OPTION_FLAG, offsetof(struct amplify_options, verbose), NULL,
         "list warnings, and the tests that are not amplified"},
	CAMPAIGN_OPTIONS(struct amplify_options, run),
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
	if (cli_budget(o->budget, &seconds, err) < 0)
		return -1;
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
	if (cli_floats(o->run.floats, &(unsigned){0}, err) < 0 || cli_hide(o->run.hide, err) < 0 ||
	    cli_sandbox(o->run.sandbox, o->run.unsafe, ret, err) < 0)
		return -1;
	if (*ret == SANDBOX_NAMESPACES)
		return 0;
	return err_set(err,
	               "%s: recorded tests need the files that they had, which only a sandbox of namespaces can show "
	               "them; `veer doctor` says how to enable it, `veer explore` works without",
	               *ret == SANDBOX_NONE ? "--unsafe-no-sandbox" : "sandbox landlock");
}

// --- the session ----------------------------------------------------------------------------------

// When, by which command and by which veer, for whoever reads a report.
static int store_origin(struct store *s, struct err *err)
{
	struct buf words = {0};
	int r = file_read("/proc/self/cmdline", &words, err);
	if (r == 0)
		r = setting_set(s, SETTING_command_line, words.data, words.len, err);
	if (r == 0)
		r = setting_set_number(s, SETTING_time, time(NULL), err);
	if (r == 0)
		r = setting_set_text(s, SETTING_version, CONFIG_VERSION, err);
	buf_release(&words);
	return r;
}

static int store_search(struct session *s, const struct campaign *c, struct err *err)
{
	int64_t before = setting_number(s->store, SETTING_search_seconds);
	int64_t seconds = (before < 0 ? 0 : before) + (int64_t)(c->searched / s->setup->jobs);
	return setting_set_number(s->store, SETTING_search_seconds, seconds, err) < 0
	               ? -1
	               : setting_set_number(s->store, SETTING_search_left, (int64_t)c->candidates, err);
}

static int store(struct session *s, const struct campaign *c, struct err *err)
{
	return tests_store(s, err) < 0 || store_search(s, c, err) < 0 || store_origin(s->store, err) < 0 ||
	                       setting_set_number(s->store, SETTING_distance, s->tests->suite.distance, err) < 0
	               ? -1
	               : 0;
}

static void print_bug(struct session *s, const struct bug *bug)
{
	found_print(&amplify_of(s)->found, s, bug);
}

static void set_up(struct amplify *a, const char *command)
{
	const struct amplify_options *o = a->options;
	struct session_setup *s = &a->setup;
	s->command = command;
	s->output = o->output;
	s->sym = o->sym;
	s->recorded = true;
	s->cpu = o->cpu;
	s->profile = PROFILE_amplification;
	cli_set_up(s, &o->run, NULL);
	s->choice = &a->choice;
	s->progress = amplify_print_progress;
	s->bug = print_bug;
	s->differs = amplify_print_difference;
	s->store = store;
	s->opaque = a;
	s->stop = cli_catch_signals();
	a->live = isatty(2);
	a->found = (struct found){.live = a->live && !o->run.quiet, .verbose = o->verbose};
}

static int prepare(struct amplify *a, struct err *err)
{
	struct session *s = &a->session;
	if (session_begin(s, &a->setup, err) < 0 || session_open(s, false, err) < 0)
		return -1;
	int r = tests_load(s, (unsigned)a->options->factor, err);
	amplify_print_sample(a);
	s->tests->suite.max_distance =
		a->options->max_distance < 0 ? AMPLIFY_DISTANCES : (unsigned)a->options->max_distance;
	return r;
}

// The driver, then what it came to.
static int amplify(struct amplify *a, size_t *ret_errors, struct err *err)
{
	struct session *s = &a->session;
	const struct amplify_setup amplification = {
		.suite = &s->tests->suite,
		.searches = a->searches,
		.strategy = {.kind = a->search.kind, .tuning = a->search.tuning},
		.graph_of = tests_graph,
		.known = session_report_known,
		.awaits = tests_await,
	};
	struct campaign c;
	struct amplify_ending end = {a, &c};
	int r = session_run(s, &driver_amplify, &amplification, &c, err);
	buf_release(&c.search);
	if (r == 0)
		r = account_read(&a->account, s->store, err);
	if (r == 0)
		r = found_print_all(&a->found, s, amplify_print_end, &end, ret_errors, err);
	if (r == 0)
		r = amplify_print_unreported(a, err);
	return r == 0 ? choice_write(&a->choice, s->store, s->cwd, err) : r;
}

int amplify_run(const struct amplify_options *o, const char *command, struct amplified *ret, struct err *err)
{
	struct amplify a = {.options = o, .setup = {.began = campaign_now()}};
	double percent = 0;
	if (cli_budget(o->budget, &a.setup.seconds, err) < 0 || amplify_sandbox(o, &a.setup.mode, err) < 0 ||
	    choice_init(&a.choice, &o->choice, err) < 0)
		return -1;
	int searches = read_search(o, &a.search, err);
	if (searches < 0)
		return -1;
	a.searches = searches > 0;
	cli_prepare_process();
	set_up(&a, command);
	*ret = (struct amplified){0};
	int r = prepare(&a, err);
	if (r == 0)
		r = amplify(&a, &ret->errors, err);
	cli_percent(o->min_analysed, &percent);
	ret->enough = r == 0 && cli_is_enough(&a.account, percent);
	session_close(&a.session);
	account_release(&a.account);
	choice_release(&a.choice);
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
	.summary = "search for bugs on and near the paths of recorded tests",
	.details =
		"The second half of `veer test`, for tests that `veer record` has recorded. veer first checks the "
		"paths of\n"
		"all tests: can another input on the same path make a check fail? Then it flips branches of these "
		"paths,\n"
		"at growing distances from the next sensitive operation, and searches for new coverage. Every finding\n"
		"was confirmed by a run with AddressSanitizer and UndefinedBehaviorSanitizer, and is a small change to "
		"a\n"
		"test. The same command continues the campaign in DIR and repeats nothing.\n"
		"Exit status 1: no test was analysed, not even in part, or fewer than --min-analysed asks for; 130, "
		"143:\n"
		"interrupted by SIGINT, SIGTERM, after the results are written.\n",
	.options = amplify_specs,
	.n_options = AMPLIFY_OPTIONS,
	.run = run,
};
