// What only the files of `veer test` and `veer amplify` share.
#ifndef VEER_CLI_AMPLIFY_INTERNAL_H
#define VEER_CLI_AMPLIFY_INTERNAL_H

#include "cli/amplify.h"
#include "cli/found.h"
#include "cli/search.h"
#include "session/session.h"
#include "session/tests.h"
#include "store/account.h"

enum { AMPLIFY_DISTANCES = 1000 }; // paths have fewer branches, or there is no time for all

struct amplify {
	const struct amplify_options *options;
	struct session_setup setup;
	struct session session;
	struct choice choice;
	struct found found;
	struct search search;
	bool searches;
	struct account account; // when it is over
	bool live;              // progress is one line that changes
};

struct amplify *amplify_of(const struct session *s);

// What is left after sampling, if tests were sampled, and what that means.
void amplify_print_sample(const struct amplify *a);
void amplify_print_progress(struct session *s, const struct campaign *c);
// At the start, when something is wrong with many tests.
void amplify_print_difference(struct session *s, const struct campaign *c, int64_t input, const char *first);

struct amplify_ending {
	const struct amplify *amplify;
	const struct campaign *campaign;
};

// How the session went; of found_print_all, with a struct amplify_ending.
void amplify_print_end(void *opaque, const char *totals);
// How many findings are not reported.
int amplify_print_unreported(const struct amplify *a, struct err *err);

#endif
