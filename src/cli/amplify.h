// Amplifying recorded tests: what `veer test` and `veer amplify` share.
#ifndef VEER_CLI_AMPLIFY_H
#define VEER_CLI_AMPLIFY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "cli/campaigns.h"
#include "session/choice.h"

struct amplify_options {
	const char *output, *budget, *sym, *search, *min_analysed;
	struct campaign_options run;
	int max_distance, factor; // max_distance < 0: no limit
	bool verbose;
	bool cpu; // the budget is processor time
	struct choice_options choice;
};

#define AMPLIFY_DEFAULTS                                                                                               \
	{.output = "veer-out",                                                                                         \
	 .budget = "10m",                                                                                              \
	 .sym = "argv,stdin,files,test-env",                                                                           \
	 .max_distance = -1,                                                                                           \
	 .run = CAMPAIGN_DEFAULTS}

enum { AMPLIFY_OPTIONS = 19 + CAMPAIGN_OPTIONS_COUNT };
extern const struct option_spec amplify_specs[AMPLIFY_OPTIONS];

// Checks the options; -1 with *err filled.
int amplify_check(struct amplify_options *o, struct err *err);

// The sandbox that tests run in; -1 with *err filled when there is none that they can run in.
int amplify_sandbox(const struct amplify_options *o, enum sandbox_mode *ret, struct err *err);

struct amplified {
	size_t errors; // bugs that make the exit status
	bool enough;   // as many tests were analysed as were asked for, and at least one; otherwise a line says so
};

// Amplifies what is in o->output.
int amplify_run(const struct amplify_options *o, const char *command, struct amplified *ret, struct err *err);

#endif
