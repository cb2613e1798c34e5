// What campaigns print of their findings: a line for each bug that is new or still there. Warnings
// are counted, and listed on request; what is in the tests' own code comes last, as a group of its own.
#ifndef VEER_CLI_FOUND_H
#define VEER_CLI_FOUND_H

#include "base/err.h"
#include "cli/choice.h"
#include "explain/groups.h"
#include "explore/cover.h"
#include "store/store.h"

struct found {
	struct store *store;
	struct choice *choice;
	const struct cover *cover; // which sources there are
	const char *cwd;
	bool live;            // there may be a line of progress to clear
	bool verbose;         // list warnings, and findings that are the same bug
	bool explored;        // without recorded tests: findings go to standard output, the rest is obvious
	struct groups groups; // that were printed or counted so far
	int64_t *fresh;       // ids of findings of this session
	size_t n_fresh;
	size_t errors, warnings; // bugs among them, for progress
};

// Bugs, not findings: those of a group count once.
struct found_totals {
	size_t errors, warnings, others;
	size_t errors_before, warnings_before, others_before; // of which so many were found by an earlier session
};

void found_release(struct found *f);

// Where the project's sources are, as far as that is known by now. Findings are told apart by it.
void found_set_root(struct found *f);
// The same, and stored, for reports: they do not know the sources.
int found_store_root(struct found *f, struct err *err);

// Prints a finding when it is one to be listed at once.
void found_new(struct found *f, const struct stored_finding *finding);
// One of an earlier session, by its key.
int found_known(struct found *f, uint64_t key, bool still, struct err *err);

// What the store has by now: of the project's code, and of its tests.
int found_count(const struct found *f, struct found_totals *ret, struct found_totals *ret_tests, struct err *err);
// "1 error (found before), 2 warnings, 0 others"
void found_totals_text(const struct found_totals *t, struct buf *out);
// What was only counted so far.
int found_print_rest(struct found *f, const struct found_totals *totals, const struct found_totals *tests,
                     struct err *err);

#endif
