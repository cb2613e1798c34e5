// veer test: a test suite, recorded while it runs, then amplified.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "cli/amplify.h"
#include "cli/recording.h"
#include "record/interpose.h"

static int run(int argc, char **argv)
{
	struct amplify_options o = AMPLIFY_DEFAULTS;
	struct err err;
	struct amplified a;
	enum sandbox_mode mode;
	int first = options_parse(&command_test, argc, argv, &o, &err);
	if (first == -2)
		return 0;
	if (first < 0 || amplify_check(&o, &err) < 0)
		return cli_usage_error(&command_test, err.text);
	if (first >= argc)
		return cli_usage_error(&command_test, "no command to run the tests with");
	if (amplify_sandbox(&o, &mode, &err) < 0) // before the suite takes its time
		return cli_fail(err.text);
	uint64_t seeds = 0;
	int status = cli_record(o.output, argv + first, o.run.quiet, &seeds, &err);
	if (status < 0)
		return cli_fail(err.text);
	if (interpose_interrupted()) {
		cli_line(stderr, "veer: interrupted while recording; `veer amplify -o %s` analyses what was recorded",
		         o.output);
		return 128 + interpose_interrupted();
	}
	if (!seeds) {
		if (o.run.quiet) // otherwise it was printed
			fprintf(stderr, "veer: no program was recorded; were they built with CC=veer-cc?\n");
		return status ? cli_end_like(status) : EXIT_FAIL;
	}
	if (amplify_run(&o, "test", &a, &err) < 0)
		return cli_fail(err.text);
	if (cli_interrupted())
		return cli_interrupted();
	if (a.errors && o.run.error_exit)
		return o.run.error_exit;
	return status || a.enough ? cli_end_like(status) : EXIT_FAIL;
}

const struct command command_test = {
	.name = "test",
	.usage = "[OPTION...] -- COMMAND [ARGUMENT...]",
	.summary = "run a test suite, then search for bugs on and near the paths it executed",
	.details =
		"COMMAND runs as usual (`make check`, for example), and its output passes through. veer records every\n"
		"execution of a program that was built with CC=veer-cc; then it searches for inputs that fail on the\n"
		"paths of these tests and on paths that diverge from them, until the budget is used up.\n"
		"Every finding was confirmed by a run with AddressSanitizer and UndefinedBehaviorSanitizer, and is a\n"
		"small change to a test; DIR/findings has each with its input. When the command runs again, tests and\n"
		"programs that did not change are not analysed again.\n"
		"The exit status is that of COMMAND; 1 when COMMAND succeeds and no test was analysed, or fewer than\n"
		"--min-analysed asks for; 130 or 143 when SIGINT or SIGTERM interrupted it, after the results are\n"
		"written.\n"
		"\n"
		"  make CC=veer-cc\n"
		"  veer test --budget 10m -- make check\n",
	.options = amplify_specs,
	.n_options = AMPLIFY_OPTIONS,
	.run = run,
};
