// veer diff: what two versions of a program do differently.
#include "cli/diff.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "input/sym.h"
#include "session/session.h"

static const struct option_spec options[] = {
	{"output", 'o', OPTION_TEXT, offsetof(struct diff_options, output), "DIR",
         "directory of the results; an existing campaign is continued (default veer-diff)"},
	{"budget", 0, OPTION_TEXT, offsetof(struct diff_options, budget), "TIME",
         "time for each program, without builds: 30s, 5m, 2h (default 30s)"},
	{"cpu-time", 0, OPTION_FLAG, offsetof(struct diff_options, cpu), NULL,
         "count the budget in processor time of all processes"},
	{"changes", 0, OPTION_FLAG, offsetof(struct diff_options, changes), NULL,
         "print which functions, data and types changed, and run nothing"},
	{"distance", 0, OPTION_NUMBER, offsetof(struct diff_options, distance), "N",
         "list and enter functions that are up to N calls away from a change (default 2)"},
	{"whole-runs", 0, OPTION_FLAG, offsetof(struct diff_options, whole), NULL,
         "only run whole programs; do not enter functions with made-up state"},
	{"possible", 0, OPTION_FLAG, offsetof(struct diff_options, possible), NULL,
         "count possible differences, of runs with made-up state, for the exit status, too"},
	{"build", 0, OPTION_TEXT, offsetof(struct diff_options, build), "COMMAND",
         "shell command that builds a revision (default make CC=veer-cc, if there is a Makefile)"},
	{"program", 0, OPTION_TEXT, offsetof(struct diff_options, program), "PATH",
         "compare only this program of the revisions, by its path in the repository (default: all that both have)"},
	{"seeds", 0, OPTION_TEXT, offsetof(struct diff_options, seeds), "PATH",
         "inputs to begin with: a folder of files for @@ or standard input, what AFL++, libFuzzer, KLEE or a tool of "
         "Test-Comp wrote"},
	{"tests", 0, OPTION_TEXT, offsetof(struct diff_options, tests), "COMMAND",
         "shell command that runs the tests: veer records it first, and begins with the inputs of the program"},
	{"sym", 0, OPTION_TEXT, offsetof(struct diff_options, sym), "SOURCE,...",
         "inputs to make symbolic: argv, stdin, file:PATH, files, env, env:NAME (default argv,stdin; with @@: stdin "
         "and that file)"},
	{"baseline", 0, OPTION_TEXT, offsetof(struct diff_options, choice.baseline), "FILE",
         "file of accepted differences: -v lists them, and they never change the exit status"},
	{"write-baseline", 0, OPTION_TEXT, offsetof(struct diff_options, choice.write_baseline), "FILE",
         "write the differences that were found to FILE, for --baseline"},
	{"markdown", 0, OPTION_TEXT, offsetof(struct diff_options, markdown), "FILE",
         "write a comment for a merge request, about all programs, to FILE"},
	EXPLORING_OPTIONS(struct diff_options, exploring),
	{"verbose", 'v', OPTION_FLAG, offsetof(struct diff_options, verbose), NULL,
         "list functions that are the same, and accepted differences"},
	CAMPAIGN_OPTIONS(struct diff_options, run),
};

static char *find_program(const char *name, struct err *err)
{
	char *path = file_exists(name) ? mem_strdup(name) : path_find_program(name);
	if (!path) {
		err_set(err, "cannot compare %s: there is no such program", name);
		return NULL;
	}
	char *cwd = path_cwd(), *full = path_absolute(cwd, path);
	mem_free(cwd);
	mem_free(path);
	return full;
}

static int compare_programs(const struct diff_options *o, struct diff_pair *pair, const char *const names[CHANGE_SIDES],
                            struct err *err)
{
	char *programs[CHANGE_SIDES] = {0};
	int r = -1;
	for (int side = 0; side < CHANGE_SIDES; side++)
		if ((side == 0 || programs[0]) && (programs[side] = find_program(names[side], err)))
			pair->programs[side] = programs[side];
	pair->names[CHANGE_OLD] = names[CHANGE_OLD];
	pair->names[CHANGE_NEW] = names[CHANGE_NEW];
	if (programs[CHANGE_NEW])
		r = diff_pair(o, pair, err);
	for (int side = 0; side < CHANGE_SIDES; side++)
		mem_free(programs[side]);
	return r;
}

static int check(const struct diff_options *o, struct diff_pair *pair, struct err *err)
{
	if (cli_budget(o->budget, &pair->seconds, err) < 0)
		return -1;
	if (o->markdown && file_output(o->markdown, "", 0, 0666, err) < 0)
		return -1;
	return o->sym ? sym_check(o->sym, err) : 0;
}

// Not a revision: a branch may have the name of a file, or of a program that is installed.
static bool is_program(const char *name)
{
	struct file_map map;
	struct err err;
	if (!file_exists(name) || file_map(name, &map, &err) < 0)
		return false;
	bool is = map.size >= SELFMAG && memcmp(map.data, ELFMAG, SELFMAG) == 0;
	file_unmap(&map);
	return is;
}

// There is a script named HEAD, too.
static bool are_installed(const char *const names[CHANGE_SIDES])
{
	char *found[CHANGE_SIDES] = {path_find_program(names[0]), path_find_program(names[1])};
	bool are = found[0] && found[1] && is_program(found[0]) && is_program(found[1]);
	mem_free(found[0]);
	mem_free(found[1]);
	return are;
}

static int fail(const char *why)
{
	cli_fail(why);
	return DIFF_FAILED;
}

// Options stand before, between and behind the versions; what stands behind -- is the program's.
static int read_words(int argc, char **argv, struct diff_options *o, const char *names[CHANGE_SIDES], char ***ret_rest,
                      struct err *err)
{
	int n = 0;
	for (int at = 0;;) {
		int words = options_parse(&command_diff, argc - at, argv + at, o, err);
		if (words < 0)
			return words;
		at += words;
		*ret_rest = argv + at;
		if (at >= argc || (words > 1 && strcmp(argv[at - 1], "--") == 0))
			break;
		if (n == CHANGE_SIDES)
			return err_set(err, "two versions are compared; arguments of the program stand behind --");
		names[n++] = argv[at];
	}
	return n ? n : err_set(err, "which versions?");
}

static int run(int argc, char **argv)
{
	struct diff_options o = {.output = "veer-diff", .budget = "30s", .distance = 2, .run = CAMPAIGN_DEFAULTS};
	struct diff_pair pair = {0};
	const char *names[CHANGE_SIDES] = {0};
	char **rest;
	struct err err;
	int n = read_words(argc, argv, &o, names, &rest, &err);
	if (n == -2)
		return 0;
	if (n < 0 || check(&o, &pair, &err) < 0)
		return cli_usage_error(&command_diff, err.text);
	if (cli_hide(o.run.hide, &err) < 0 ||
	    (!o.changes && cli_sandbox(o.run.sandbox, o.run.unsafe, &pair.mode, &err) < 0))
		return fail(err.text);
	pair.output = o.output;
	pair.arguments = rest;
	cli_prepare_process();
	int r = n == CHANGE_SIDES && (is_program(names[0]) || is_program(names[1]) || are_installed(names))
	                ? compare_programs(&o, &pair, names, &err)
	                : diff_revisions(&o, &pair, names, &err);
	return r < 0 ? fail(err.text) : r;
}

const struct command command_diff = {
	.name = "diff",
	.usage = "OLD [NEW] [OPTION...] [-- ARGUMENT...]",
	.summary = "find what two versions of a program do differently",
	.details =
		"OLD and NEW are programs that were built by veer-cc, or revisions of the git repository around the\n"
		"working folder, which veer builds in trees of their own; without NEW it is the working tree as it "
		"is.\n"
		"veer finds out which functions changed, looks for inputs that execute what changed, and runs both\n"
		"versions natively on each: exit status, output and files that differ are reported, with the smallest\n"
		"input that shows it and a script that runs both. Without ARGUMENTs, up to two arguments and standard\n"
		"input are symbolic.\n"
		"Exit status: 0 no difference was found, 1 there are some (--error-exitcode: that instead), 2 "
		"failure.\n\n"
		"  veer diff HEAD~1 HEAD --build 'make CC=veer-cc'\n"
		"  veer diff main\n"
		"  veer diff old/prog new/prog -- --sym-arg 4 @@\n",
	.options = options,
	.n_options = OPTIONS_COUNT(options),
	.run = run,
};
