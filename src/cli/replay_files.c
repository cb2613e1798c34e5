// veer replay PATH... -- PROGRAM: inputs that other tools keep.
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/campaigns.h"
#include "cli/options.h"
#include "cli/replay.h"
#include "cli/sandboxed.h"
#include "findings/hostile.h"
#include "findings/oracle.h"
#include "formats/format.h"
#include "formats/ktest.h"
#include "input/input_template.h"
#include "session/tools.h"

#define OBJECTS_FILE "/dev/shm/veer-ktest"

struct files {
	const struct replay_options *options;
	char *cwd, *program;
	struct foreigns *all; // of each path
	int n_paths;
	struct input_template input_template;
	struct session_tools tools;
};

bool replay_print(const struct run_result *run)
{
	switch (run->end) {
	case RUN_EXITED: printf("the native program exits with status %d\n", run->code); return false;
	case RUN_OUTPUT: printf("the native program writes for ever\n"); return false;
	case RUN_SIGNAL:
		printf("the native program ends by signal %d (%s)\n", run->code, strsignal(run->code));
		return true;
	case RUN_TIMEOUT: printf("the native program takes too long\n"); return true;
	default: printf("the native program takes too much memory\n"); return true;
	}
}

// --- in the sandbox -------------------------------------------------------------------------------

static void print_name(const struct foreign *f)
{
	char *name = hostile_clean(f->name, strlen(f->name));
	printf("%s: ", name);
	mem_free(name);
}

// The native program reads its objects from a file; the sanitized variant only those of which it alone knows the size.
static void name_objects(struct input *in, const struct foreign *f)
{
	struct buf content = {0};
	if (!input_find(in, INPUT_OBJECT, NULL)) // imported: a stream
		return;
	ktest_encode(f, &content);
	input_add(in, INPUT_FILE, OBJECTS_FILE, content.data, content.len);
	input_add(in, INPUT_VARIABLE, "KTEST_FILE", OBJECTS_FILE, strlen(OBJECTS_FILE));
	buf_release(&content);
}

// 1: it fails.
static int run_native(struct executor *native, const struct foreign *f, struct input *in, struct err *err)
{
	struct run_result run;
	if (executor_run(native, in, REPLAY_MS, &run, err) < 0)
		return -1;
	print_name(f);
	return replay_print(&run);
}

static int run_oracle(const struct oracle_case *c, const struct foreign *f, struct input *in, struct err *err)
{
	struct verdicts v;
	if (oracle_sanitizers.run(c, in, &v, err) < 0)
		return -1;
	for (size_t i = 0; i < v.n; i++) {
		print_name(f);
		cli_line(stdout, "%s: %s in %s, %s:%u", level_name(v.v[i].level), v.v[i].kind, v.v[i].function,
		         v.v[i].file, v.v[i].line);
	}
	int fails = v.n && v.v[0].level != LEVEL_WARNING;
	if (!v.n) {
		print_name(f);
		printf("nothing wrong\n");
	}
	verdicts_release(&v);
	return fails;
}

// `native`: in place of the oracle, if it is not NULL.
static int run_all(struct files *s, const struct oracle_case *c, struct executor *native, struct err *err)
{
	int failed = 0, r = 0;
	for (int i = 0; i < s->n_paths; i++)
		for (size_t k = 0; r >= 0 && k < s->all[i].n; k++) {
			struct input in;
			const struct foreign *f = &s->all[i].v[k];
			adapter_input(&s->input_template.adapter, f, &in);
			name_objects(&in, f);
			r = native ? run_native(native, f, &in, err) : run_oracle(c, f, &in, err);
			failed += r > 0;
			input_release(&in);
		}
	return r < 0 ? -1 : failed;
}

static int work(void *opaque, struct sandbox *sandbox)
{
	struct files *s = opaque;
	const struct target target = {.program = s->program};
	struct executors executors;
	struct err err;
	executors_init(&executors, &(struct executors_setup){.builder = &s->tools.sanitized,
	                                                     .sandbox = sandbox,
	                                                     .complain = cli_runs_natively});
	const struct oracle_case c = {.executors = &executors, .target = &target, .milliseconds = REPLAY_MS};
	struct executor *native = s->options->native ? executors_get(&executors, &target, "native", &err) : NULL;
	int failed = s->options->native && !native ? -1 : run_all(s, &c, native, &err);
	executors_stop(&executors);
	oracle_sanitizers.forget();
	return failed < 0 ? cli_fail(err.text) : failed ? s->options->error_exit : 0;
}

// --- the command ----------------------------------------------------------------------------------

static int read_paths(struct files *s, char **paths, struct err *err)
{
	for (int i = 0; i < s->n_paths; i++) {
		if (formats_read(paths[i], &s->all[i], err) < 0)
			return -1;
		if (s->all[i].why)
			cli_left_out(&s->all[i], paths[i]);
	}
	return 0;
}

static int prepare(struct files *s, char **argv, struct err *err)
{
	char *found = path_find_program(argv[0]);
	if (!found)
		return err_set(err, "cannot run %s: there is no such program", argv[0]);
	s->program = path_absolute(s->cwd, found);
	mem_free(found);
	if (session_tools_find(&s->tools, err) < 0)
		return -1;
	if (input_template_read(&s->input_template, argv, NULL, NULL, -1, s->cwd, err) < 0)
		return -1;
	const struct server_build how = {.complain = cli_runs_natively};
	return s->options->native ? 0 : server_build(&s->tools.sanitized, s->program, &how, err);
}

int replay_files(const struct replay_options *o, char **paths, int n_paths, char **argv)
{
	struct files s = {.options = o, .n_paths = n_paths};
	struct err err;
	if (!n_paths)
		return cli_usage_error(&command_replay, "which files?");
	if (!argv[0])
		return cli_usage_error(&command_replay, "no program behind --");
	s.all = mem_zero((size_t)n_paths * sizeof *s.all);
	s.cwd = path_cwd();
	int r = read_paths(&s, paths, &err);
	if (r == 0)
		r = prepare(&s, argv, &err);
	int status = r < 0 ? cli_fail(err.text) : cli_sandboxed(o->unsafe, s.cwd, work, &s);
	for (int i = 0; i < n_paths; i++)
		foreigns_release(&s.all[i]);
	mem_free(s.all);
	mem_free(s.cwd);
	mem_free(s.program);
	input_template_release(&s.input_template);
	session_tools_release(&s.tools);
	return status;
}
