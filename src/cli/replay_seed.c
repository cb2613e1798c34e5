// veer replay S1: a seed, natively and traced, compared with the recorded run and with each other.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/campaigns.h"
#include "cli/options.h"
#include "cli/replay.h"
#include "cli/sandboxed.h"
#include "execute/observation.h"
#include "execute/server.h"
#include "findings/hostile.h"
#include "input/sym.h"
#include "session/settings.h"
#include "session/tools.h"

enum { SHOWN = 60 }; // bytes of a line of output

struct seed {
	const struct replay_options *options;
	int64_t id;
	struct replayed what;
	char *program;
	struct buf sym; // what is symbolic, as in the campaign
	struct session_tools with;
};

// --- an input of a campaign -----------------------------------------------------------------------

static int read_snapshot(struct replayed *r, struct store *store, const char *output, int64_t snapshot, struct err *err)
{
	struct buf bytes = {0};
	struct err why;
	if (snapshot)
		r->has_snapshot = store_get_snapshot(store, snapshot, &bytes, &why) == 0 &&
		                  snapshot_decode(&r->snapshot, bytes.data, bytes.len, &why) == 0;
	buf_release(&bytes);
	if (snapshot && !r->has_snapshot)
		return err_set(err, "the recorded test is not in %s any more: %s", output, why.text);
	char *here = path_cwd(), *campaign = path_absolute(here, output);
	r->files = mem_printf("%s/files", campaign);
	// The sandbox makes the test's folder again, and needs an existing one to start from.
	r->cwd = snapshot ? path_existing(mem_strdup(r->snapshot.cwd)) : settings_folder(store);
	char *sym = setting_text(store, SETTING_sym);
	sym_clear_variables(sym);
	mem_free(sym);
	mem_free(here);
	mem_free(campaign);
	return 0;
}

int replayed_read(struct replayed *ret, struct store *store, const char *output, int64_t id, struct err *err)
{
	struct stored_input in;
	*ret = (struct replayed){0};
	if (store_get_input(store, id, &in, err) < 0)
		return -1;
	int r = input_decode(&ret->input, in.data.data, in.data.len, err);
	if (r == 0)
		r = read_snapshot(ret, store, output, in.snapshot, err);
	stored_input_release(&in);
	return r;
}

void replayed_release(struct replayed *r)
{
	input_release(&r->input);
	snapshot_release(&r->snapshot);
	mem_free(r->files);
	mem_free(r->cwd);
}

// --- comparing ------------------------------------------------------------------------------------

static void print_end(const struct run_result *r)
{
	switch (r->end) {
	case RUN_EXITED: printf("exit status %d", r->code); break;
	case RUN_SIGNAL: printf("signal %d (%s)", r->code, strsignal(r->code)); break;
	case RUN_TIMEOUT: printf("timeout after %d s", REPLAY_MS / 1000); break;
	case RUN_MEMORY: printf("out of memory"); break;
	default: printf("too much output"); break;
	}
}

// The line that byte `at` is in.
static void print_line(const char *who, const struct buf *output, size_t at)
{
	size_t from = at, to = at;
	while (from > 0 && output->data[from - 1] != '\n' && at - from < SHOWN / 2)
		from--;
	while (to < output->len && output->data[to] != '\n' && to - from < SHOWN)
		to++;
	char *text = hostile_clean(output->data ? output->data + from : "", to - from);
	printf("    %s: %s%s\n", who, text, to == output->len ? " [end of output]" : "");
	mem_free(text);
}

// False: the output of both runs is the same.
static bool print_first_difference(const struct buf *native, const struct buf *traced)
{
	size_t at = 0, line = 1;
	while (at < native->len && at < traced->len && native->data[at] == traced->data[at])
		line += native->data[at++] == '\n';
	if (at == native->len && at == traced->len)
		return false;
	printf("  traced: output differs from the native run's at byte %zu, line %zu\n", at, line);
	print_line("native", native, at);
	print_line("traced", traced, at);
	return true;
}

static int run_one(struct executor *e, const struct seed *s, struct observation *ret, struct err *err)
{
	struct run_result run;
	executor_set_snapshot(e, s->what.has_snapshot ? &s->what.snapshot : NULL, s->what.files);
	if (executor_run(e, &s->what.input, REPLAY_MS, &run, err) < 0)
		return -1;
	observation_take(ret, e, &run);
	return 0;
}

// Returns whether the native run ends as recorded; without a recording it is the reference itself.
static bool print_native(const struct seed *s, const struct observation *native)
{
	struct buf why = {0};
	bool same = !s->what.has_snapshot || observation_as_recorded(native, &s->what.snapshot, &why);
	printf("  native: ");
	if (!same)
		cli_line(stdout, "differs from the recorded run: %s", why.data);
	else
		print_end(&native->run);
	if (same)
		printf(", %zu bytes of output%s\n", native->output.len, s->what.has_snapshot ? ", as recorded" : "");
	buf_release(&why);
	return same;
}

static bool print_traced(const struct observation *native, const struct observation *traced)
{
	bool same = observation_same_end(native, traced);
	if (!same) {
		printf("  traced: ");
		print_end(&traced->run);
		printf(", natively ");
		print_end(&native->run);
		printf("\n");
	}
	if (print_first_difference(&native->output, &traced->output))
		return false;
	if (same)
		printf("  traced: the same exit status and output as natively\n");
	return same;
}

static int compare(const struct seed *s, struct executor *native, struct executor *traced, struct err *err)
{
	struct observation a = {0}, b = {0};
	int r = run_one(native, s, &a, err);
	bool same = r == 0 && print_native(s, &a);
	if (r == 0)
		r = run_one(traced, s, &b, err);
	if (r == 0)
		same = print_traced(&a, &b) && same;
	observation_release(&a);
	observation_release(&b);
	return r < 0 ? -1 : !same;
}

// In the sandbox. Returns the exit status.
static int work(void *opaque, struct sandbox *sandbox)
{
	struct seed *s = opaque;
	struct executor native, traced;
	struct err err;
	struct executor_setup setup = {.builder = &s->with.native,
	                               .target = {.program = s->program},
	                               .sandbox = sandbox,
	                               .steady = true,
	                               .complain = cli_runs_natively};
	if (executor_start(&native, &setup, &err) < 0)
		return cli_fail(err.text);
	setup.builder = &s->with.explored;
	setup.sym = s->sym.len ? s->sym.data : NULL;
	setup.want_trace = setup.want_cover = true;
	int result = executor_start(&traced, &setup, &err);
	if (result == 0) {
		result = compare(s, &native, &traced, &err);
		executor_stop(&traced);
	}
	executor_stop(&native);
	return result < 0 ? cli_fail(err.text) : result;
}

// --- the command ----------------------------------------------------------------------------------

struct looking {
	int64_t id;
	bool found;
};

static int look(void *opaque, const struct stored_input *in)
{
	struct looking *l = opaque;
	l->found |= in->id == l->id && !in->parent;
	return l->found;
}

static int read_seed(struct seed *s, struct err *err)
{
	struct store *store = store_open_read(s->options->output, err);
	struct looking l = {.id = s->id};
	if (!store)
		return -1;
	settings_hide(store);
	int r = store_each_input(store, look, &l, err) < 0 ? -1 : 0;
	if (r == 0 && !l.found)
		r = err_set(err, "there is no seed S%" PRId64 " in %s", s->id, s->options->output);
	if (r == 0)
		r = replayed_read(&s->what, store, s->options->output, s->id, err);
	if (r == 0 && s->what.has_snapshot)
		s->program = mem_strdup(s->what.snapshot.program);
	else if (r == 0 && !(s->program = setting_text(store, SETTING_program)))
		r = err_set(err, "%s does not say which program S%" PRId64 " is for", s->options->output, s->id);
	setting_get(store, SETTING_sym, &s->sym);
	store_close(store);
	return r;
}

static void print_title(const struct seed *s)
{
	char *name = hostile_clean(s->program, strlen(s->program));
	cli_line(stdout, "S%" PRId64 ": %s", s->id, name);
	mem_free(name);
}

int replay_seed(const struct replay_options *o, int64_t id)
{
	struct seed s = {.options = o, .id = id};
	struct err err;
	int status = EXIT_FAIL, r = session_tools_find(&s.with, &err);
	if (r == 0)
		r = read_seed(&s, &err);
	char *libraries = r == 0 && s.what.has_snapshot ? snapshot_libraries(&s.what.snapshot) : NULL;
	const struct server_build how = {.libraries = libraries, .complain = cli_runs_natively};
	if (r == 0)
		r = server_build(&s.with.explored, s.program, &how, &err);
	if (r == 0) {
		print_title(&s);
		status = cli_sandboxed(o->unsafe, s.what.cwd, work, &s);
	} else {
		cli_fail(err.text);
	}
	mem_free(libraries);
	mem_free(s.program);
	buf_release(&s.sym);
	replayed_release(&s.what);
	session_tools_release(&s.with);
	return status;
}
