// veer record: a command runs as it would; what its veer-built programs are given is kept.
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/options.h"
#include "cli/recording.h"
#include "explore/seeds.h"
#include "record/record.h"
#include "session/tools.h"
#include "variants/build.h"

struct record_options {
	const char *output;
	bool quiet, verbose;
};

static const struct option_spec options[] = {
	{"output", 'o', OPTION_TEXT, offsetof(struct record_options, output), "DIR",
         "directory of the campaign (default veer-out)"},
	{"quiet", 'q', OPTION_FLAG, offsetof(struct record_options, quiet), NULL, "print only errors"},
	{"verbose", 'v', OPTION_FLAG, offsetof(struct record_options, verbose), NULL,
         "list every execution that cannot be reproduced, with the reason"},
};

static const char *s(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void print_reasons(const struct seeds_counts *c, bool all)
{
	enum { SHOWN = 5 };
	for (size_t i = 0; i < c->n_reasons; i++) {
		if (i == SHOWN && !all) {
			fprintf(stderr, "veer:   ... and %zu more reasons (--verbose lists them)\n", c->n_reasons - i);
			break;
		}
		cli_line(stderr, "veer:   %5zu: %s", c->reasons[i].n, c->reasons[i].why);
	}
}

static void print_summary(const struct record_options *o, const struct record_counts *r, const struct seeds_counts *c)
{
	if (!r->executions) {
		fprintf(stderr, "veer: no program was recorded; were they built with CC=veer-cc?\n");
		return;
	}
	cli_part(stderr, "veer: %llu execution%s recorded, %zu seed%s in %s", (unsigned long long)r->executions,
	         s(r->executions), c->seeds, s(c->seeds), o->output);
	if (c->known)
		fprintf(stderr, " (%zu known before)", c->known);
	if (r->lost)
		fprintf(stderr, ", %llu lost", (unsigned long long)r->lost);
	if (c->damaged)
		fprintf(stderr, ", %zu damaged", c->damaged);
	fprintf(stderr, c->refused ? ", %zu cannot be run again:\n" : "\n", c->refused);
	print_reasons(c, o->verbose);
}

// What was recorded goes into the store whatever became of the command.
static int import(const struct record_options *o, const struct record_counts *r, uint64_t *ret_seeds, struct err *err)
{
	struct seeds_counts c = {0};
	struct store *store = store_open(o->output, true, err);
	int result = store ? seeds_import(store, o->output, &c, err) : -1;
	if (store)
		store_close(store);
	if (result < 0)
		return -1;
	record_clear(o->output);
	if (!o->quiet)
		print_summary(o, r, &c);
	*ret_seeds = c.seeds;
	seeds_release(&c);
	return 0;
}

static int record(const struct record_options *o, char **argv, uint64_t *ret_seeds, struct err *err)
{
	struct session_tools tools = {0};
	struct record_counts counts = {0};
	int status = session_tools_find(&tools, err);
	struct interpose interpose = {.builder = &tools.explored, .complain = cli_runs_natively, .limit = cli_limit};
	if (status >= 0)
		status = record_run(o->output, argv, &interpose, &counts, err);
	if (status >= 0 && import(o, &counts, ret_seeds, err) < 0)
		status = -1;
	session_tools_release(&tools);
	return status;
}

int cli_record(const char *folder, char **argv, bool quiet, uint64_t *ret_seeds, struct err *err)
{
	const struct record_options o = {.output = folder, .quiet = quiet};
	return record(&o, argv, ret_seeds, err);
}

static int run(int argc, char **argv)
{
	struct record_options o = {.output = "veer-out"};
	struct err err;
	int first = options_parse(&command_record, argc, argv, &o, &err);
	if (first == -2)
		return 0;
	if (first < 0)
		return cli_usage_error(&command_record, err.text);
	if (first >= argc)
		return cli_usage_error(&command_record, "no command to run");
	uint64_t seeds = 0;
	int status = record(&o, argv + first, &seeds, &err);
	return status < 0 ? cli_fail(err.text) : cli_end_like(status);
}

const struct command command_record = {
	.name = "record",
	.usage = "[OPTION...] -- COMMAND [ARGUMENT...]",
	.summary = "run a test suite and record every execution as a seed",
	.details =
		"COMMAND runs as usual; its output and exit status pass through. Each execution of a program that was\n"
		"built with CC=veer-cc, at any depth, becomes a seed: its arguments, environment, standard input and "
		"the\n"
		"files that it used, as they were at that moment. Equal executions are one seed. Executions that "
		"cannot\n"
		"be reproduced are counted by reason.\n"
		"\n"
		"  veer record -- make check\n",
	.options = options,
	.n_options = OPTIONS_COUNT(options),
	.run = run,
};
