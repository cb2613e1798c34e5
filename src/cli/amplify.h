// Amplifying recorded tests: what `veer test` and `veer amplify` share.
#ifndef VEER_CLI_AMPLIFY_H
#define VEER_CLI_AMPLIFY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "cli/choice.h"
#include "cli/options.h"

struct amplify_options {
	const char *output, *budget, *sandbox, *sym;
	int jobs, max_distance, factor, timeout, memory, error_exit;
	bool stats, quiet, unsafe, verbose;
	struct choice_options choice;
};

#define AMPLIFY_DEFAULTS                                                                                               \
	{.output = "veer-out",                                                                                         \
	 .budget = "10m",                                                                                              \
	 .sym = "argv,stdin,files",                                                                                    \
	 .max_distance = 1000,                                                                                         \
	 .timeout = 1000,                                                                                              \
	 .memory = 1024}

enum { AMPLIFY_OPTIONS = 22 };
extern const struct option_spec amplify_specs[AMPLIFY_OPTIONS];

// Checks what was said; -1 with *err filled.
int amplify_check(struct amplify_options *o, struct err *err);

// Amplifies what is in o->output. *ret_errors: how many findings of level error are told of.
int amplify_run(const struct amplify_options *o, const char *command, size_t *ret_errors, struct err *err);

#endif
