// veer infer: the path that a device took, from recordings of what it gave off. A command for each step.
#include <string.h>

#include "cli/commands.h"
#include "cli/options.h"

static int run(int argc, char **argv)
{
	struct err err;
	char name[64];
	int first = options_parse(&command_infer, argc, argv, NULL, &err);
	if (first == -2)
		return 0;
	if (first < 0)
		return cli_usage_error(&command_infer, err.text);
	if (first >= argc)
		return cli_usage_error(&command_infer, "infer wants a step: plan, train, run, score or simulate");
	snprintf(name, sizeof name, "infer-%s", argv[first]);
	const struct command *c = command_find(name);
	if (!c) {
		err_set(&err, "infer has no step '%s'; there are plan, train, run, score and simulate", argv[first]);
		return cli_usage_error(&command_infer, err.text);
	}
	return c->run(argc - first, argv + first);
}

const struct command command_infer = {
	.name = "infer",
	.usage = "plan|train|run|score|simulate [OPTION...] ...",
	.summary = "infer the path that a device took from its power draw or emanations",
	.details = "Firmware runs unmodified on a small device, and a probe records it. The steps are commands of "
		   "their own:\n"
		   "\n"
		   "  veer infer plan      write training runs, from a campaign of veer cover\n"
		   "  veer infer train     make a model of recordings whose path is known\n"
		   "  veer infer run       infer the path of a recording\n"
		   "  veer infer score     measure how much of known paths is inferred\n"
		   "  veer infer simulate  record a simulated device\n"
		   "\n"
		   "`veer help infer-run` prints the options of a step.\n",
	.run = run,
};
