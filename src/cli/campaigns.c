#include "cli/campaigns.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>

#include "base/buf.h"
#include "base/bug.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "cli/words.h"
#include "findings/hostile.h"
#include "report/source.h"
#include "sandbox/hidden.h"
#include "session/replayer.h"
#include "solver/solver.h"

static volatile sig_atomic_t stop;

// timeout(1) and terminals with a shell send a signal twice, one right after the other.
static void on_signal(int sig)
{
	static volatile sig_atomic_t since;
	const sig_atomic_t now = (sig_atomic_t)clock_seconds();
	if (stop && now - since >= 2) {
		signal(sig, SIG_DFL);
		raise(sig);
	}
	if (!stop)
		since = now;
	stop = stop ? stop : sig;
}

void cli_prepare_process(void)
{
	personality((unsigned long)personality(0xffffffff) | ADDR_NO_RANDOMIZE);
}

volatile sig_atomic_t *cli_catch_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	return &stop;
}

int cli_interrupted(void)
{
	return stop ? 128 + stop : 0;
}

int cli_default_jobs(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	return n < 1 ? 1 : n > OPTION_WORKERS_MAX ? OPTION_WORKERS_MAX : (int)n;
}

int cli_floats(const char *word, unsigned *ret, struct err *err)
{
	*ret = SOLVER_FLOATS_AUTO;
	for (unsigned i = 0; word && solver_floats_word(i); i++)
		if (strcmp(word, solver_floats_word(i)) == 0) {
			*ret = i;
			return 0;
		}
	if (!word)
		return 0;
	char *words = words_listed("float");
	err_set(err, "--float: there is no method '%s'; there are %s", word, words);
	mem_free(words);
	return -1;
}

void cli_set_up(struct session_setup *ret, const struct campaign_options *o, const struct exploring_options *exploring)
{
	ret->jobs = (unsigned)o->jobs;
	ret->timeout = (unsigned)o->timeout;
	ret->memory = (unsigned)o->memory;
	if (cli_floats(o->floats, &ret->floats, NULL) < 0)
		BUG("a word that was not looked at");
	ret->complain = cli_runs_natively;
	if (exploring) {
		ret->runs = (uint64_t)exploring->runs;
		ret->deterministic = exploring->deterministic;
	}
}

int cli_can_output(const char *path, const char *output, struct err *err)
{
	char *cwd = path_cwd(), *whole = path_absolute(cwd, path);
	char *folder = path_dirname(whole), *there = path_absolute(cwd, output);
	size_t n = strlen(there);
	while (n > 1 && there[n - 1] == '/')
		there[--n] = 0;
	bool will_be = !file_exists(there) && strcmp(folder, there) == 0;
	mem_free(cwd);
	mem_free(whole);
	mem_free(folder);
	mem_free(there);
	return will_be ? 0 : file_can_output(path, err);
}

int cli_budget(const char *text, double *ret, struct err *err)
{
	static const double BUDGET_MAX = 1e9; // seconds
	char *end;
	*ret = text ? strtod(text, &end) : 0;
	if (!text)
		return 0;
	double unit = *end == 'h' ? 3600 : *end == 'm' ? 60 : 1;
	*ret *= unit;
	bool is_time = *ret > 0 && *ret <= BUDGET_MAX; // not true of nan
	if (end == text || !is_time || (*end && (end[1] || !strchr("smh", *end))))
		return err_set(err, "--budget wants a time such as 30s, 5m or 2h");
	return 0;
}

int64_t cli_finding_id(const char *word)
{
	char *end;
	if (*word == 'F' || *word == 'f')
		word++;
	int64_t id = isdigit((unsigned char)*word) ? strtoll(word, &end, 10) : -1;
	return id < 0 || *end ? -1 : id;
}

int cli_hide(const char *paths, struct err *err)
{
	if (!paths)
		return 0;
	const char *before = getenv(HIDDEN_VARIABLE);
	struct buf all = {0};
	char *copy = mem_strdup(paths), *rest = copy, *cwd = path_cwd();
	int r = 0;
	buf_addstr(&all, before ? before : "");
	for (char *path; r == 0 && (path = strsep(&rest, ":"));) {
		char *whole = path_absolute(cwd, path);
		if (!*path || !file_exists(whole))
			r = err_set(err, "--hide: there is no '%s'", path);
		buf_printf(&all, "%s%s", all.len ? ":" : "", whole);
		mem_free(whole);
	}
	if (r == 0)
		setenv(HIDDEN_VARIABLE, all.data, 1);
	buf_release(&all);
	mem_free(copy);
	mem_free(cwd);
	return r;
}

static int no_mode(const char *name, struct err *err)
{
	char *modes = words_listed("sandbox");
	err_set(err, "--sandbox: there is no mode '%s'; there are %s", name, modes);
	mem_free(modes);
	return -1;
}

int cli_sandbox(const char *name, bool unsafe, enum sandbox_mode *ret, struct err *err)
{
	struct buf why = {0};
	*ret = SANDBOX_NONE;
	if (unsafe)
		return 0;
	if (!name) {
		*ret = sandbox_best();
		if (*ret == SANDBOX_NAMESPACES)
			return 0;
		sandbox_works(SANDBOX_NAMESPACES, &why);
		if (*ret != SANDBOX_NONE) {
			fprintf(stderr,
			        "veer: runs are confined by Landlock, and can write to a copy of their folder only: "
			        "%s\n",
			        why.data ? why.data : "?");
			buf_release(&why);
			return 0;
		}
	} else {
		for (int i = 1; i < SANDBOX_MODES; i++)
			if (strcmp(name, sandbox_names[i]) == 0)
				*ret = (enum sandbox_mode)i;
		if (*ret == SANDBOX_NONE)
			return no_mode(name, err);
		if (sandbox_works(*ret, &why))
			return 0;
	}
	err_set(err, "there is no sandbox to run the program in: %s; --unsafe-no-sandbox runs it without",
	        why.data ? why.data : "?");
	buf_release(&why);
	return -1;
}

static double share(uint64_t us, double of)
{
	return of > 0 ? 1e-4 * (double)us / of : 0;
}

// All of the workers' time, by what they did in it. The rest of jobs: starting programs, reading coverage, reporting.
static void print_times(const struct campaign_counts *n, double wall, unsigned jobs)
{
	uint64_t known = n->us_run + n->us_match + n->us_read + n->us_solve + n->us_oracle + n->us_care;
	uint64_t busy = n->us_jobs + n->us_waiting + n->us_unfinished, all = (uint64_t)(1e6 * wall * jobs);
	const struct {
		const char *name;
		uint64_t us;
	} parts[] = {
		{"run", n->us_run},
		{"compare natively", n->us_match},
		{"read traces", n->us_read},
		{"solve", n->us_solve},
		{"oracle", n->us_oracle},
		{"relevant bytes", n->us_care},
		{"rest of jobs", n->us_jobs > known ? n->us_jobs - known : 0},
		{"unfinished jobs", n->us_unfinished},
		{"waiting for the coordinator", n->us_waiting},
		{"no job", all > busy ? all - busy : 0},
	};
	printf("time of workers:");
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		printf("%s %s %.1f%%", i ? "," : "", parts[i].name, share(parts[i].us, wall * jobs));
	printf("; store %.1f%%\n", share(n->us_store, wall));
}

void cli_stats(const struct campaign *c, unsigned jobs)
{
	const struct campaign_counts *n = &c->counts;
	printf("%.1f s: %llu runs (%.0f a second), %llu again; %llu queries: %llu sat, %llu unsat, %llu unknown\n",
	       c->elapsed, (unsigned long long)n->runs, c->elapsed > 0 ? (double)n->runs / c->elapsed : 0,
	       (unsigned long long)n->reruns, (unsigned long long)n->queries, (unsigned long long)n->sat,
	       (unsigned long long)n->unsat, (unsigned long long)n->unknown);
	if (n->paths) // recorded tests have no tree of paths
		printf("%llu paths; %zu alternatives have a solution that diverged\n", (unsigned long long)n->paths,
		       c->missed);
	printf("solutions that went where they should: %llu of %llu; of the others, %llu met calls without a model\n",
	       (unsigned long long)n->expected, (unsigned long long)(n->expected + n->diverged),
	       (unsigned long long)n->diverged_unmodelled);
	print_times(n, c->wall, jobs ? jobs : 1);
	if (n->care_of)
		printf("relevant bytes of inputs in the corpus: %llu of %llu; known of %llu, not of %zu\n",
		       (unsigned long long)n->care, (unsigned long long)n->care_of, (unsigned long long)n->cared,
		       c->uncared);
	if (n->cut || n->full)
		printf("%llu runs were longer than what veer analyses of a run, %llu filled their trace\n",
		       (unsigned long long)n->cut, (unsigned long long)n->full);
}

static void add_left(struct buf *out, uint64_t n, const char *one, const char *many)
{
	if (n)
		buf_printf(out, "%s%llu %s", out->len ? ", " : "", (unsigned long long)n, n == 1 ? one : many);
}

void cli_print_left_out(const struct campaign *c)
{
	const struct campaign_counts *n = &c->counts;
	struct buf left = {0};
	add_left(&left, n->unknown, "query unknown", "queries unknown");
	add_left(&left, c->missed, "solution that took another path", "solutions that took another path");
	add_left(&left, n->full + n->cut, "trace too long", "traces too long");
	add_left(&left, n->lossy, "run that lost input where there is no model",
	         "runs that lost input where there is no model");
	if (left.len || n->mutated)
		printf("not seen by the solver: %s; %llu runs of mutated inputs\n", left.len ? left.data : "nothing",
		       (unsigned long long)n->mutated);
	buf_release(&left);
}

void cli_print_unconfirmed(const struct campaign *c)
{
	if (c->unconfirmed)
		fprintf(stderr,
		        "veer: %zu input%s still to be confirmed by a sanitized run; the same command begins with %s\n",
		        c->unconfirmed, c->unconfirmed == 1 ? " is" : "s are", c->unconfirmed == 1 ? "it" : "them");
}

void cli_allow_sources(struct store *store, const char *root)
{
	struct strv programs = {0}, libraries = {0}, paths = {0};
	struct err ignored;
	if (replayer_programs(store, &programs, &libraries, &ignored) == 0)
		for (size_t i = 0; i < programs.n; i++)
			build_sources(programs.v[i], &paths);
	for (size_t i = 0; i < paths.n; i++)
		source_allow(paths.v[i]);
	source_allow(root ? root : ".");
	source_allow("/usr/include");
	strv_release(&programs);
	strv_release(&libraries);
	strv_release(&paths);
}

void cli_left_out(const struct foreigns *all, const char *path)
{
	char *why = hostile_clean(all->why, strlen(all->why));
	cli_line(stderr, "veer: %zu file%s of %s left out: %s", all->left_out, all->left_out == 1 ? "" : "s", path,
	         why);
	mem_free(why);
}
