// veer replay: a finding of a campaign, once more.
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/process.h"
#include "base/utf8.h"
#include "cli/campaigns.h"
#include "cli/options.h"
#include "cli/replay.h"
#include "cli/sandboxed.h"
#include "execute/executors.h"
#include "execute/server.h"
#include "findings/folder.h"
#include "findings/oracle.h"
#include "input/fragment.h"
#include "session/settings.h"
#include "session/tools.h"
#include "store/store.h"

static const struct option_spec options[] = {
	{"output", 'o', OPTION_TEXT, offsetof(struct replay_options, output), "DIR",
         "directory of the campaign (default veer-out)"},
	{"gdb", 0, OPTION_FLAG, offsetof(struct replay_options, gdb), NULL,
         "run it in the debugger, outside of the sandbox; arguments after ID go to gdb"},
	{"native", 0, OPTION_FLAG, offsetof(struct replay_options, native), NULL,
         "run the native program in place of its sanitized variant"},
	{"error-exitcode", 0, OPTION_EXIT_STATUS, offsetof(struct replay_options, error_exit), "N",
         "with files: exit status, 1 to 255, when one of them fails (default 1)"},
	{"unsafe-no-sandbox", 0, OPTION_FLAG, offsetof(struct replay_options, unsafe), NULL,
         "run it without a sandbox, where it can change files"},
};

struct replay {
	struct replay_options options;
	int64_t id;
	char *kind, *program, *place;
	uint64_t key;
	int64_t input_id;
	struct replayed what;
	unsigned hang_ms;
	bool float_checks; // the campaign asked for checks of operations on floats
	enum use use;      // what the campaign explores
	struct session_tools tools;
};

// --- the finding ----------------------------------------------------------------------------

static int take_finding(void *opaque, const struct stored_finding *f)
{
	struct replay *r = opaque;
	if (f->id != r->id)
		return 0;
	r->kind = mem_strdup(f->kind);
	r->program = mem_strdup(f->program);
	char *place = mem_printf("%s, %s:%u", f->function, f->file, f->line);
	r->place = utf8_cleaned(place);
	mem_free(place);
	r->key = f->key;
	r->input_id = f->input;
	return 1;
}

static int read_finding(struct replay *r, struct err *err)
{
	struct store *store = store_open_read(r->options.output, err);
	if (!store)
		return -1;
	settings_hide(store);
	int result = store_each_finding(store, take_finding, r, err);
	if (result == 0)
		result = err_set(err, "there is no finding F%" PRId64 " in %s", r->id, r->options.output);
	if (result > 0)
		result = replayed_read(&r->what, store, r->options.output, r->input_id, err);
	r->hang_ms = (unsigned)setting_number(store, SETTING_hang_ms);
	r->use = settings_use(store);
	r->float_checks = setting_number(store, SETTING_float_checks) != 0;
	store_close(store);
	return result;
}

static void release(struct replay *r)
{
	mem_free(r->kind);
	mem_free(r->program);
	mem_free(r->place);
	replayed_release(&r->what);
}

// --- in the sandbox -------------------------------------------------------------------------

static unsigned limit_of(const struct replay *r)
{
	return strcmp(r->kind, "hang") == 0 ? r->hang_ms : REPLAY_MS;
}

static int run_oracle(struct replay *r, struct executors *executors, const struct target *t, struct err *err)
{
	const struct oracle_case c = {.executors = executors, .target = t, .milliseconds = limit_of(r)};
	struct verdicts v;
	if (use_oracle(r->use)->run(&c, &r->what.input, &v, err) < 0)
		return -1;
	bool again = verdicts_find(&v, r->key);
	if (again)
		cli_line(stdout, "F%" PRId64 ": again: %s in %s", r->id, r->kind, r->place);
	else if (v.n)
		cli_line(stdout, "F%" PRId64 ": not %s in %s, but %s in %s, %s:%u", r->id, r->kind, r->place,
		         v.v[0].kind, v.v[0].function, v.v[0].file, v.v[0].line);
	else
		cli_line(stdout, "F%" PRId64 ": not again: %s in %s", r->id, r->kind, r->place);
	verdicts_release(&v);
	return again ? 0 : 1;
}

// Without sanitizers, a program fails when a signal or a limit ends it.
static int run_native(struct replay *r, struct executor *native, struct err *err)
{
	struct run_result run;
	if (!native || executor_run(native, &r->what.input, limit_of(r), &run, err) < 0)
		return -1;
	cli_part(stdout, "F%" PRId64 ": %s in %s: ", r->id, r->kind, r->place);
	return replay_print(&run) ? 0 : 1;
}

// In the sandbox. Returns the exit status.
static int work(void *opaque, struct sandbox *sandbox)
{
	struct replay *r = opaque;
	const struct target target = {.program = r->program};
	struct executors executors;
	struct err err;
	executors_init(&executors, &(struct executors_setup){.builder = &r->tools.sanitized,
	                                                     .sandbox = sandbox,
	                                                     .floats = r->float_checks,
	                                                     .complain = cli_runs_natively});
	executors_set_snapshot(&executors, r->what.has_snapshot ? &r->what.snapshot : NULL, r->what.files);
	int result = r->options.native ? run_native(r, executors_get(&executors, &target, "native", &err), &err)
	                               : run_oracle(r, &executors, &target, &err);
	executors_stop(&executors);
	use_oracle(r->use)->forget();
	return result < 0 ? cli_fail(err.text) : result;
}

// --- in the debugger ------------------------------------------------------------------------

static int replay_in_gdb(struct replay *r, char **more, int n_more)
{
	struct err err;
	char *variant = NULL, folder[] = "/tmp/veer-gdb-XXXXXX", id[32];
	if (!r->options.native && build_program(&r->tools.sanitized, r->program, &variant, &err) != BUILD_OK)
		return cli_fail(err.text);
	snprintf(id, sizeof id, "F%" PRId64, r->id);
	struct verdict verdict = {.kind = r->kind, .function = r->place, .file = "?"};
	struct finding_text text = {.id = id,
	                            .program = r->program,
	                            .cwd = r->what.cwd,
	                            .verdict = &verdict,
	                            .input = &r->what.input,
	                            .snapshot = r->what.has_snapshot ? &r->what.snapshot : NULL,
	                            .files = r->what.files};
	int result = mkdtemp(folder) ? finding_write_wrapper(folder, &text, &err)
	                             : err_errno(&err, "cannot create folder %s", folder);
	struct strv argv = {0};
	strv_push(&argv, "gdb");
	strv_push(&argv, "-q");
	strv_push(&argv, "-ex");
	strv_pushf(&argv, "set exec-wrapper sh %s/wrapper.sh", folder);
	for (int i = 0; i < n_more; i++)
		strv_push(&argv, more[i]);
	strv_push(&argv, variant ? variant : r->program);
	pid_t pid = result < 0 ? -1 : process_start(argv.v, NULL, -1, -1, -1, &err);
	signal(SIGINT, SIG_IGN); // it is for the debugger
	result = pid < 0 ? cli_fail(err.text) : process_wait(pid, NULL);
	file_remove_tree(folder);
	strv_release(&argv);
	mem_free(variant);
	return result;
}

// --- the command ----------------------------------------------------------------------------

static int replay(struct replay *r, char **more, int n_more)
{
	struct err err;
	if (read_finding(r, &err) < 0)
		return cli_fail(err.text);
	struct fragment entry;
	if ((r->options.gdb || r->options.native) && fragment_of(&r->what.input, &entry))
		return cli_fail(
			"the finding is of a run with state that veer made up, which only the sanitized variant "
			"can enter; veer explain shows its path");
	if (r->options.gdb)
		return replay_in_gdb(r, more, n_more);
	char *libraries = r->what.has_snapshot ? snapshot_libraries(&r->what.snapshot) : NULL;
	const struct server_build how = {.libraries = libraries, .complain = cli_runs_natively};
	struct builder builders[USE_VARIANTS];
	unsigned n = r->options.native ? 0 : use_builders(r->use, &r->tools, builders);
	int built = 0;
	for (unsigned i = 1; i < n && built == 0; i++) // the first one traces
		built = server_build(&builders[i], r->program, &how, &err);
	mem_free(libraries);
	if (built < 0)
		return cli_fail(err.text);
	return cli_sandboxed(r->options.unsafe, r->what.cwd, work, r);
}

static int run_seed(const struct replay_options *o, char **argv, int argc)
{
	struct err err;
	int64_t id = cli_finding_id(argv[0] + 1);
	if (id < 0 || argv[0][1] == 'F' || argv[0][1] == 'f') {
		err_set(&err, "'%s' is no finding's or seed's name, such as F1 or S1", argv[0]);
		return cli_usage_error(&command_replay, err.text);
	}
	if (argc > 1)
		return cli_usage_error(&command_replay, "one seed at a time");
	if (o->gdb || o->native)
		return cli_usage_error(&command_replay,
		                       "--gdb and --native are for findings: a seed runs natively and traced");
	return replay_seed(o, id);
}

static int run(int argc, char **argv)
{
	struct replay r = {.options = {.output = "veer-out", .error_exit = 1}};
	struct err err;
	int first = options_parse(&command_replay, argc, argv, &r.options, &err);
	if (first == -2)
		return 0;
	if (first < 0)
		return cli_usage_error(&command_replay, err.text);
	if (first >= argc)
		return cli_usage_error(&command_replay, "which finding?");
	if (strcmp(argv[first - 1], "--") == 0)
		return cli_usage_error(&command_replay, "which files?");
	for (int i = first; i < argc && !r.options.gdb; i++)
		if (strcmp(argv[i], "--") == 0)
			return replay_files(&r.options, argv + first, i - first, argv + i + 1);
	if (argv[first][0] == 'S' || argv[first][0] == 's')
		return run_seed(&r.options, argv + first, argc - first);
	r.id = cli_finding_id(argv[first]);
	if (r.id < 0) {
		err_set(&err, "'%s' is no finding's or seed's name, such as F1 or S1", argv[first]);
		return cli_usage_error(&command_replay, err.text);
	}
	if (first + 1 < argc && !r.options.gdb)
		return cli_usage_error(&command_replay, "one finding at a time");
	int result = session_tools_find(&r.tools, &err) < 0 ? cli_fail(err.text)
	                                                    : replay(&r, argv + first + 1, argc - first - 1);
	release(&r);
	session_tools_release(&r.tools);
	return result;
}

const struct command command_replay = {
	.name = "replay",
	.usage = "[OPTION...] ID [ARGUMENT OF GDB...] | [OPTION...] PATH... -- PROGRAM [ARGUMENT...]",
	.summary = "run a finding, a recorded test or inputs of other tools again",
	.details =
		"Runs the input of finding ID (F1, say) on the sanitized variant of the program, in the sandbox, and\n"
		"reports whether it fails as before: exit status 0 if so, 1 if not.\n\n"
		"A seed (S1, say: a recorded test) runs natively and traced; the exit status and the output of both\n"
		"runs are compared with the recorded ones and with each other, and the first difference is printed:\n"
		"exit status 0 if there is none.\n\n"
		"With a program behind --, each PATH is an input or a folder of them, as AFL++, libFuzzer, KLEE or a "
		"tool\n"
		"of Test-Comp wrote it: plain files go where @@ stands, or to standard input. For each input veer\n"
		"reports what the program does wrong; exit status 0 when there is nothing.\n\n"
		"  veer replay F1\n"
		"  veer replay S1\n"
		"  veer replay --gdb F1\n"
		"  veer replay --gdb F1 -batch -ex run -ex backtrace\n"
		"  veer replay out/default/crashes -- ./parser @@\n"
		"  veer replay klee-last/test000003.ktest -- ./program\n",
	.options = options,
	.n_options = OPTIONS_COUNT(options),
	.run = run,
};
