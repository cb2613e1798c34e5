// Differences between two versions, as tests of the new one.
#ifndef VEER_CLI_EXPORT_DIFFERENCES_H
#define VEER_CLI_EXPORT_DIFFERENCES_H

#include "export/export.h"
#include "sandbox/sandbox.h"
#include "session/difference_views.h"

struct export_differences {
	struct store *store;
	const struct difference_views *views;
	const char *cwd, *files, *sym; // as of the campaign
	char **words;                  // IDs; none: all
	int n_words;
	bool c; // tests in C, not for the shell
	enum sandbox_mode mode;
};

// Runs both versions on the examples, writes the tests, and prints how many there are and what was left out. The folder
// is there.
int export_differences(const struct export_differences *e, const char *folder, struct err *err);

#endif
