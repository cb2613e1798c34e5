// veer report: what a campaign came to, for people and tools.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "cli/campaigns.h"
#include "cli/options.h"
#include "report/differences.h"
#include "report/report.h"
#include "session/choice.h"
#include "session/difference_views.h"
#include "session/settings.h"

struct report_options {
	const char *output, *format, *to, *root, *budget, *sandbox;
	struct choice_options choice;
	bool unsafe, quick, warnings;
};

static const struct option_spec options[] = {
	{"format", 0, OPTION_TEXT, offsetof(struct report_options, format), "NAME",
         "format of the report: {} (default text)"},
	{"output", 'o', OPTION_TEXT, offsetof(struct report_options, output), "DIR",
         "directory of the campaign (default veer-out)"},
	{"to", 0, OPTION_TEXT, offsetof(struct report_options, to), "FILE",
         "file for the report; -: standard output (default for text and json; for others, a file in DIR)"},
	{"root", 0, OPTION_TEXT, offsetof(struct report_options, root), "FOLDER",
         "name sources below FOLDER relative to it (default: the project's folder, as the campaign knows it)"},
	{"possible", 0, OPTION_FLAG, offsetof(struct report_options, choice.possible), NULL,
         "report possible findings of veer cover, too"},
	{"possible-all", 0, OPTION_FLAG, offsetof(struct report_options, choice.possible_all), NULL,
         "report possible findings, also those that a filter suppresses"},
	{"baseline", 0, OPTION_TEXT, offsetof(struct report_options, choice.baseline), "FILE",
         "file of known findings, which are not reported"},
	{"suppressions", 0, OPTION_TEXT, offsetof(struct report_options, choice.suppressions), "FILE",
         "file of findings that are not reported, a line each: KIND FILE FUNCTION"},
	{"test-code", 0, OPTION_TEXT, offsetof(struct report_options, choice.test_code), "LIST",
         "globs of the tests' own sources, or none (default: as in the campaign)"},
	{"warnings", 0, OPTION_FLAG, offsetof(struct report_options, warnings), NULL,
         "in text: list warnings (default: count them)"},
	{"quick", 0, OPTION_FLAG, offsetof(struct report_options, quick), NULL,
         "use only what the store has; run nothing: no conditions, paths and coverage before"},
	{"budget", 0, OPTION_TEXT, offsetof(struct report_options, budget), "TIME",
         "time to run findings again, and as much for the tests: 30s, 5m (default 60s)"},
	{"sandbox", 0, OPTION_TEXT, offsetof(struct report_options, sandbox), "MODE",
         "kind of sandbox: {} (default: the first that works)"},
	{"unsafe-no-sandbox", 0, OPTION_FLAG, offsetof(struct report_options, unsafe), NULL,
         "run programs without a sandbox, where they can change files"},
};

struct reporting {
	struct report_options options;
	const struct report_format *format; // NULL: the format is one of veer diff only
	struct choice choice;
	struct report report;
	double seconds;
	enum sandbox_mode mode;
	char *test_code; // of the campaign
};

static bool is_reported(void *opaque, const struct stored_finding *f)
{
	return choice_of(opaque, f) == CHOICE_REPORTED;
}

// --- what runs say --------------------------------------------------------------------------------

static void explain_findings(struct reporting *s, struct replayer *replayer)
{
	double until = clock_seconds() + s->seconds;
	struct report *r = &s->report;
	for (size_t i = 0; i < r->n; i++) {
		if (clock_seconds() > until) {
			mem_free(r->v[i].why_not);
			r->v[i].why_not = mem_strdup("there was no time for it; see --budget");
			continue;
		}
		explain_runs(&r->v[i], replayer);
		r->explained += !r->v[i].why_not;
	}
}

static int restore(void *opaque, uint64_t unit, const uint8_t *bytes, size_t n)
{
	cover_restore(opaque, unit, bytes, n);
	return 0;
}

static int read_coverage(struct reporting *s, struct replayer *replayer, struct err *err)
{
	struct report *r = &s->report;
	r->after = replayer_cover(replayer);
	if (store_each_cover(r->store, restore, r->after, err) < 0)
		return -1;
	if (s->options.quick)
		return 0;
	r->before = replayer_cover(replayer);
	r->seeds_run = replayer_cover_seeds(replayer, r->before, s->seconds, &r->seeds, err);
	if (r->seeds_run < 0)
		return -1;
	// A run that the campaign had no time for, or that ended otherwise there, may have covered less.
	cover_restore_all(r->after, r->before);
	if (r->seeds_run < r->seeds)
		fprintf(stderr,
		        "veer: coverage before is of %" PRId64 " of %" PRId64
		        " tests; there was no time for the others "
		        "(--budget), or they cannot be run\n",
		        r->seeds_run, r->seeds);
	return 0;
}

static int look(struct reporting *s, struct err *err)
{
	bool covers = s->format->needs & NEEDS_COVERAGE, runs = (s->format->needs & NEEDS_RUNS) && !s->options.quick;
	struct strv programs = {0}, libraries = {0};
	int r = covers ? replayer_programs(s->report.store, &programs, &libraries, err) : 0;
	for (size_t i = 0; runs && i < s->report.n; i++)
		replayer_add_program(s->report.store, s->report.v[i].finding.program, s->report.v[i].snapshot,
		                     &programs, &libraries);
	struct replayer *replayer = NULL;
	if (r == 0 && programs.n) {
		const struct replayer_setup setup = {.store = s->report.store,
		                                     .folder = s->options.output,
		                                     .programs = &programs,
		                                     .libraries = &libraries,
		                                     .mode = s->mode,
		                                     .profile = PROFILE_replay,
		                                     .complain = cli_runs_natively};
		replayer = replayer_new(&setup, err);
		r = replayer ? 0 : -1;
	}
	if (replayer && runs)
		explain_findings(s, replayer);
	if (replayer && covers)
		r = read_coverage(s, replayer, err);
	replayer_free(replayer);
	strv_release(&programs);
	strv_release(&libraries);
	return r;
}

// --- the report -----------------------------------------------------------------------------------

static int write_out(const struct reporting *s, const char *file, const struct buf *text, struct err *err)
{
	const char *to = s->options.to;
	if (to ? strcmp(to, "-") == 0 : !file) {
		if (fwrite(buf_str(text), 1, text->len, stdout) < text->len || fflush(stdout) != 0)
			return err_errno(err, "cannot write the report");
		return 0;
	}
	char *path = to ? mem_strdup(to) : mem_printf("%s/%s", s->options.output, file);
	// In the campaign's folder a link is replaced, not followed.
	int r = (to ? file_output : file_replace)(path, buf_str(text), text->len, 0666, err);
	if (r == 0)
		cli_line(stdout, "%s", path);
	mem_free(path);
	return r;
}

// What is worse comes first; the tests' own code comes last.
static int by_level(const void *x, const void *y)
{
	const struct explanation *a = x, *b = y;
	if (a->test_code != b->test_code)
		return a->test_code ? 1 : -1;
	if (a->finding.level != b->finding.level)
		return a->finding.level > b->finding.level ? -1 : 1;
	return a->finding.id < b->finding.id ? -1 : a->finding.id > b->finding.id;
}

// Absolute. What the user says, what the campaign knows, or this folder.
static char *find_root(const struct reporting *s)
{
	char *known = s->options.root ? NULL : setting_text(s->report.store, SETTING_root);
	if (known)
		return known;
	char *cwd = path_cwd(), *root = path_absolute(cwd, s->options.root ? s->options.root : ".");
	char *clean = path_clean(root);
	mem_free(cwd);
	mem_free(root);
	return clean ? clean : mem_strdup("/");
}

// As in the campaign, unless something else is asked for.
static void set_test_code(struct reporting *s)
{
	const struct strv none = {0};
	char *root = setting_text(s->report.store, SETTING_root);
	s->test_code = setting_text(s->report.store, SETTING_test_code);
	if (!s->options.choice.test_code)
		s->options.choice.test_code = s->test_code;
	if (root)
		choice_set_root(&s->choice, root, &none);
	mem_free(root);
}

static int report(struct reporting *s, struct err *err)
{
	const struct results_choice choice = choice_results(&s->choice);
	struct buf text = {0};
	char *root = find_root(s);
	set_test_code(s);
	cli_allow_sources(s->report.store, s->options.root);
	s->report.folder = s->options.output;
	s->report.root = root;
	s->report.choice = &choice;
	s->report.warnings = s->options.warnings;
	int r = 0;
	if (choice_assess(&s->choice, s->report.store, err) < 0)
		r = -1;
	else if (s->format->needs & NEEDS_FINDINGS)
		r = explain_all(s->report.store, s->options.output, is_reported, &s->choice, &s->report.v, &s->report.n,
		                err);
	for (size_t i = 0; i < s->report.n; i++)
		s->report.v[i].test_code = choice_is_test_code(&s->choice, &s->report.v[i].finding);
	if (s->report.n)
		qsort(s->report.v, s->report.n, sizeof *s->report.v, by_level);
	if (r == 0)
		r = look(s, err);
	if (r == 0)
		r = s->format->write(&s->report, &text, err);
	if (r == 0)
		r = write_out(s, s->format->file, &text, err);
	for (size_t i = 0; i < s->report.n; i++)
		explanation_release(&s->report.v[i]);
	mem_free(s->report.v);
	cover_free(s->report.before);
	cover_free(s->report.after);
	buf_release(&text);
	mem_free(root);
	return r;
}

// Of a campaign of veer diff; nothing is run.
static int report_differences(struct reporting *s, const struct difference_views *views, struct err *err)
{
	const struct difference_format *format = difference_format(s->options.format);
	struct buf text = {0}, names = {0};
	if (!format) {
		difference_format_names(&names);
		err_set(err, "--format: %s is not for campaigns of veer diff; there are %s, json", s->options.format,
		        buf_str(&names));
		buf_release(&names);
		return -1;
	}
	char *root = find_root(s);
	const struct difference_report r = {.views = views, .folder = s->options.output, .root = root};
	format->write(&r, &text);
	int result = write_out(s, format->file, &text, err);
	mem_free(root);
	buf_release(&text);
	return result;
}

static int report_any(struct reporting *s, struct err *err)
{
	struct difference_views views;
	bool json = strcmp(s->options.format, "json") == 0;
	int has = json ? 0 : difference_views_read(&views, s->report.store, err);
	if (has < 0)
		return -1;
	if (has) {
		int r = report_differences(s, &views, err);
		difference_views_release(&views);
		return r;
	}
	if (!s->format)
		return err_set(err, "--format: %s is for campaigns of veer diff", s->options.format);
	return report(s, err);
}

static int check(struct reporting *s, struct err *err)
{
	struct buf names = {0};
	s->format = report_format(s->options.format);
	if (!s->format && !difference_format(s->options.format)) {
		report_format_names(&names);
		buf_addstr(&names, ", and of veer diff ");
		difference_format_names(&names);
		err_set(err, "--format: there is no '%s'; there are %s", s->options.format, names.data);
		buf_release(&names);
		return -1;
	}
	return cli_budget(s->options.budget, &s->seconds, err);
}

static int run(int argc, char **argv)
{
	struct reporting s = {.options = {.output = "veer-out", .format = "text", .budget = "60s"}};
	struct err err;
	int first = options_parse(&command_report, argc, argv, &s.options, &err);
	if (first == -2)
		return 0;
	if (first < 0 || check(&s, &err) < 0)
		return cli_usage_error(&command_report, err.text);
	if (first < argc)
		return cli_usage_error(&command_report, "the campaign is given with -o");
	bool runs = s.format && (s.format->needs & (NEEDS_RUNS | NEEDS_COVERAGE)) && !s.options.quick;
	if (runs && cli_sandbox(s.options.sandbox, s.options.unsafe, &s.mode, &err) < 0)
		return cli_fail(err.text);
	if (choice_init(&s.choice, &s.options.choice, &err) < 0)
		return cli_fail(err.text);
	s.report.store = store_open_read(s.options.output, &err);
	if (s.report.store)
		settings_hide(s.report.store);
	int r = s.report.store ? report_any(&s, &err) : -1;
	if (s.report.store)
		store_close(s.report.store);
	choice_release(&s.choice);
	mem_free(s.test_code);
	return r < 0 ? cli_fail(err.text) : 0;
}

const struct command command_report = {
	.name = "report",
	.usage = "[OPTION...]",
	.summary = "report the results of a campaign, for people, editors and CI",
	.details =
		"Reads the campaign's store, also while the campaign runs. Explanations of findings are those of "
		"`veer\n"
		"explain`; \"coverage before\" is that of the tests themselves. For both, programs run again in the\n"
		"sandbox.\n"
		"\n"
		"  veer report\n"
		"  veer report --format html\n"
		"  veer report --format sarif --to veer.sarif\n",
	.options = options,
	.n_options = OPTIONS_COUNT(options),
	.run = run,
};
