// The bugs of a campaign while a session runs: which findings are reported, which of them are one bug (groups.h), which
// are new, which earlier sessions had found. Prints nothing: whoever asks gets a `struct bug`.
#ifndef VEER_SESSION_BUGS_H
#define VEER_SESSION_BUGS_H

#include "base/err.h"
#include "coverage/cover.h"
#include "session/choice.h"
#include "session/groups.h"
#include "store/store.h"

enum bug_event {
	BUG_NEW,   // this session found it
	BUG_AGAIN, // an earlier session found it, and it is still there
	BUG_GONE,  // an earlier session found it, and it is not there any more
};

struct bug {
	enum bug_event event;
	const struct stored_finding *finding;
	int64_t lead; // the first finding of its group: finding->id when it is the first
};

struct bugs {
	struct store *store;
	struct choice *choice;     // which findings are reported
	const struct cover *cover; // which sources there are
	const char *cwd;
	struct groups groups; // that were reported so far
	int64_t *fresh;       // ids of findings of this session
	size_t n_fresh;
	size_t errors, warnings; // bugs among them, for progress
};

// Bugs, not findings: those of a group count once.
struct bug_totals {
	size_t errors, warnings, possible, others;
	size_t errors_before, warnings_before, others_before; // of which so many were found by an earlier session
};

void bugs_release(struct bugs *b);

// Where the project's sources are, as far as that is known by now. Findings of test code are recognised by it.
void bugs_set_root(struct bugs *b);
// The same, and stored, for reports: they do not know the sources.
int bugs_store_root(struct bugs *b, struct err *err);

// A new finding. False: it is not to be reported.
bool bugs_add(struct bugs *b, const struct stored_finding *f, struct bug *ret);
// A finding of an earlier session, by its key: calls `each` when it is to be reported.
int bugs_known(struct bugs *b, uint64_t key, bool still, void (*each)(void *opaque, const struct bug *bug),
               void *opaque, struct err *err);
bool bugs_is_fresh(const struct bugs *b, int64_t id);

// What the store has by now: of the project's code, and of its tests.
int bugs_count(const struct bugs *b, struct bug_totals *ret, struct bug_totals *ret_tests, struct err *err);
// b->errors and b->warnings begin with those of earlier sessions.
int bugs_count_before(struct bugs *b, struct err *err);

#endif
