// veer run: a command whose veer-built programs run as a variant.
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "abi/stats.h"
#include "base/file.h"
#include "base/mem.h"
#include "cli/options.h"
#include "findings/reports.h"
#include "input/sym.h"
#include "record/interpose.h"
#include "session/tools.h"
#include "variants/build.h"

struct run_options {
	const char *variant;
	const char *output, *sym;
	bool quiet, verbose, self_check;
	int error_exitcode;
};

static const struct option_spec options[] = {
	{"variant", 0, OPTION_TEXT, offsetof(struct run_options, variant), "NAME",
         "variant to run programs as: {} (default sanitized)"},
	{"sym", 0, OPTION_TEXT, offsetof(struct run_options, sym), "SOURCE,...",
         "input: argv, stdin, file:PATH, files, env, env:NAME, sock (variant: traced)"},
	{"self-check", 0, OPTION_FLAG, offsetof(struct run_options, self_check), NULL,
         "with --sym: check every expression against the real value"},
	{"output", 'o', OPTION_TEXT, offsetof(struct run_options, output), "DIR",
         "directory for reports (default veer-out)"},
	{"error-exitcode", 0, OPTION_EXIT_STATUS, offsetof(struct run_options, error_exitcode), "N",
         "exit with N, 1 to 255, when a memory error was reported"},
	{"quiet", 'q', OPTION_FLAG, offsetof(struct run_options, quiet), NULL, "print only errors"},
	{"verbose", 'v', OPTION_FLAG, offsetof(struct run_options, verbose), NULL,
         "print which variants are built; list all reports"},
};

struct session {
	struct run_options options;
	struct sanitizer_reports reports;
	struct interpose_counts counts;
	struct err save_error;
	bool saved;
	struct trace_stats *stats; // with --sym
};

// Large programs take a while: after three seconds, a line now and then.
static void progress(void *opaque, const char *program, size_t done, size_t total)
{
	static time_t started, last;
	const struct run_options *o = opaque;
	time_t now = time(NULL);
	if (done == 0)
		started = last = now;
	if (o->quiet)
		return;
	bool live = isatty(2), finished = done == total;
	bool shown = last != started;
	if (!(o->verbose && (done == 0 || finished)) && (now - started < 3 || (now == last && !finished)) &&
	    !(finished && shown))
		return;
	if (!live && !finished && now - last < 10 && shown)
		return;
	last = now;
	fputs(live ? "\r" : "", stderr);
	cli_part(stderr, "veer: building the %s variant of %s: %zu of %zu units", o->variant, path_basename(program),
	         done, total);
	fputs(live && !finished ? "" : "\n", stderr);
}

// With --sym: what is input, and where the programs count what they do.
static int prepare(void *opaque, const char *run, struct err *err)
{
	struct session *s = opaque;
	if (!s->options.sym)
		return 0;
	char *path = mem_printf("%s/stats", run);
	int r = sym_write(run, s->options.sym, s->options.self_check, err);
	int fd = r < 0 ? -1 : open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (r == 0 && (fd < 0 || fchmod(fd, 0666) < 0 || ftruncate(fd, sizeof *s->stats) < 0))
		r = err_errno(err, "cannot create %s", path);
	if (r == 0)
		s->stats = mmap(NULL, sizeof *s->stats, PROT_READ, MAP_SHARED, fd, 0);
	if (s->stats == MAP_FAILED) {
		s->stats = NULL;
		r = err_errno(err, "cannot map %s", path);
	}
	if (fd >= 0)
		close(fd);
	mem_free(path);
	return r;
}

static int by_count(const void *a, const void *b)
{
	const struct stats_name *const *x = a, *const *y = b;
	return (*x)->count<(*y)->count ? 1 : (*x)->count>(*y)->count ? -1 : 0;
}

static void print_stats(const struct trace_stats *stats)
{
	const struct stats_name *names[STATS_NAMES];
	size_t n = 0;
	fprintf(stderr,
	        "veer: %llu programs with symbolic input: %llu nodes, %llu events, %llu comparisons of the self-check, "
	        "%llu mismatches\n",
	        (unsigned long long)stats->programs, (unsigned long long)stats->nodes,
	        (unsigned long long)stats->events, (unsigned long long)stats->checked,
	        (unsigned long long)stats->mismatches);
	if (stats->full)
		fprintf(stderr, "veer: %llu of them filled a table, and ran on without labels\n",
		        (unsigned long long)stats->full);
	for (size_t i = 0; i < STATS_NAMES; i++)
		if (stats->unmodelled[i].state == 2)
			names[n++] = &stats->unmodelled[i];
	qsort(names, n, sizeof *names, by_count);
	for (size_t i = 0; i < n; i++)
		cli_part(stderr, "%s%.*s (%llu)", i ? ", " : "veer: not modelled: ", STATS_NAME - 1, names[i]->name,
		         (unsigned long long)names[i]->count);
	if (n)
		fputs("\n", stderr);
}

static void take_reports(void *opaque, const char *run)
{
	struct session *s = opaque;
	char *folder = mem_printf("%s/reports", run);
	sanitizer_reports_read(&s->reports, folder);
	sanitizer_reports_sort(&s->reports);
	char *path = mem_printf("%s/reports", s->options.output);
	file_remove_tree(path); // those of the last run
	s->saved = s->reports.n && sanitizer_reports_save(folder, path, &s->save_error) == 0;
	mem_free(path);
	mem_free(folder);
}

static size_t count_errors(const struct sanitizer_reports *r)
{
	size_t n = 0;
	while (n < r->n && r->v[n].level == LEVEL_ERROR)
		n++;
	return n;
}

static void print_reports(const struct session *s)
{
	const struct sanitizer_reports *r = &s->reports;
	size_t errors = count_errors(r), warnings = r->n - errors;
	enum { SHOWN = 10 };
	if (s->options.quiet)
		return;
	// A run in which nothing was looked at must not look like one in which nothing was found.
	const struct interpose_counts *c = &s->counts;
	if (!c->variants)
		fprintf(stderr, "veer: no program ran as its %s variant; were they built with CC=veer-cc?\n",
		        s->options.variant);
	else if (!r->n)
		fprintf(stderr, "veer: no error: %u start%s of programs, %u of libraries as the %s variant\n",
		        c->variants, c->variants == 1 ? "" : "s", c->libraries, s->options.variant);
	if (!r->n)
		return;
	fprintf(stderr, "veer: %zu memory error%s, undefined behaviour at %zu place%s\n", errors,
	        errors == 1 ? "" : "s", warnings, warnings == 1 ? "" : "s");
	// Errors are all shown; they must not drown in warnings.
	size_t shown = 0;
	for (size_t i = 0; i < r->n; i++) {
		const struct sanitizer_report *x = &r->v[i];
		if (x->level != LEVEL_ERROR && ++shown > SHOWN && !s->options.verbose) {
			fprintf(stderr, "veer:   ... and %zu more (--verbose lists them)\n", r->n - i);
			break;
		}
		cli_part(stderr, "veer:   %-7s %s at %s:%u in %s", level_name(x->level), x->kind, x->file, x->line,
		         x->function);
		fprintf(stderr, x->times > 1 ? " (%zu times)\n" : "\n", x->times);
	}
	if (s->saved)
		cli_line(stderr, "veer: full reports in %s/reports", s->options.output);
	else
		cli_line(stderr, "veer: the full reports are lost: %s", s->save_error.text);
}

static int run(int argc, char **argv)
{
	struct session s = {.options = {.variant = "sanitized", .output = "veer-out"}};
	struct err err;
	int first = options_parse(&command_run, argc, argv, &s.options, &err);
	if (first == -2)
		return 0;
	if (first < 0)
		return cli_usage_error(&command_run, err.text);
	if (!variant_exists(s.options.variant)) {
		err_set(&err, "there is no variant '%s' (there are: %s)", s.options.variant, variant_names());
		return cli_usage_error(&command_run, err.text);
	}
	if ((s.options.sym || s.options.self_check) && strcmp(s.options.variant, "traced") != 0)
		return cli_usage_error(&command_run, "--sym and --self-check want --variant traced");
	if (s.options.self_check && !s.options.sym)
		return cli_usage_error(&command_run,
		                       "--self-check wants --sym: without input there is nothing to check");
	if (s.options.sym && sym_check(s.options.sym, &err) < 0)
		return cli_usage_error(&command_run, err.text);
	if (first >= argc)
		return cli_usage_error(&command_run, "no command to run");

	struct session_tools tools = {0};
	if (session_tools_find(&tools, &err) < 0) {
		session_tools_release(&tools);
		return cli_fail(err.text);
	}
	cache_trim(&tools.cache, cache_limit(), false, &err);
	struct builder builder = {&tools.cache, &tools.tools, s.options.variant, progress, &s.options};
	struct interpose interpose = {.builder = &builder,
	                              .complain = cli_runs_natively,
	                              .limit = cli_limit,
	                              .prepare = prepare,
	                              .finish = take_reports,
	                              .opaque = &s,
	                              .counts = &s.counts};
	int status = interpose_run(&interpose, argv + first, &err);
	int result;
	if (status < 0) {
		result = cli_fail(err.text);
	} else {
		print_reports(&s);
		if (s.stats && !s.options.quiet)
			print_stats(s.stats);
		bool failed = s.options.error_exitcode && count_errors(&s.reports);
		result = failed ? s.options.error_exitcode : cli_end_like(status);
	}
	sanitizer_reports_release(&s.reports);
	session_tools_release(&tools);
	return result;
}

const struct command command_run = {
	.name = "run",
	.usage = "[OPTION...] -- COMMAND [ARGUMENT...]",
	.summary = "run a command with its programs replaced by sanitized variants",
	.details = "Each program that COMMAND executes, at any depth, and that was built with CC=veer-cc, runs as its\n"
		   "variant, and so do its shared libraries; everything else runs unchanged. Variants are built when "
		   "first\n"
		   "needed, and cached. Output and exit status of the command pass through. A summary of what the\n"
		   "sanitizers found is printed at the end, on standard error.\n"
		   "\n"
		   "  veer run -- make check\n"
		   "  veer run -- ./prog < input\n",
	.options = options,
	.n_options = OPTIONS_COUNT(options),
	.run = run,
};
