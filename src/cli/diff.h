// Parts of veer diff: diff.c reads the command line, diff_run.c compares two programs, session/revisions.h builds them.
#ifndef VEER_CLI_DIFF_H
#define VEER_CLI_DIFF_H

#include "cli/campaigns.h"
#include "compare/changes.h"
#include "session/differences.h"
#include "session/session.h"

struct diff_options {
	const char *output, *budget, *sym, *seeds, *tests, *build, *program, *markdown;
	struct campaign_options run;
	struct exploring_options exploring;
	struct choice_options choice; // baseline
	int distance;
	bool changes, cpu, possible, verbose, whole;
};

// Two programs that are compared.
struct diff_pair {
	const char *programs[CHANGE_SIDES]; // absolute
	const char *names[CHANGE_SIDES];    // as the user calls the versions
	const char *output;                 // folder of the results
	const char *label;                  // of the programs, where there are several; NULL
	const char *folder;                 // where --tests runs; NULL: here
	char **arguments;                   // of the programs, with NULL behind them
	double seconds;
	enum sandbox_mode mode;
};

enum { DIFF_SAME = 0, DIFF_DIFFERENT = 1, DIFF_FAILED = 2 };

// Returns the exit status; -1 with *err filled.
int diff_pair(const struct diff_options *o, const struct diff_pair *pair, struct err *err);

// The same for the programs of two revisions; NULL is the working tree. Uses pair->arguments, seconds and mode.
int diff_revisions(const struct diff_options *o, struct diff_pair *pair, const char *const names[CHANGE_SIDES],
                   struct err *err);

// Stores what reports show of the differences, and adds to the file of --markdown. Without a store nothing was run.
int diff_views(const struct diff_options *o, const struct diff_pair *pair, const struct differences *d,
               struct session *s, struct err *err);

#endif
