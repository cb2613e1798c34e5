// DIR/results.json: what a campaign came to, for scripts. Everything in it is in the store; counters and settings
// under these names, by whoever knows them:
//
//   settings (store_set)            "command" (default "explore")
//   numbers (store_set_number)      "programs" (default 1), "coverage.branches", "coverage.before", "coverage.after",
//                                   "search.seconds" (none: no part "search"), "search.left"
//   counters (store_count)          "runs", "searched", "queries", "unknown", "checks.total", "checks.unique",
//                                   "not modelled:NAME" for each function NAME
//   snapshots                          "tests": how many recorded tests there are, and how many have each outcome
//                                   (store/outcomes.def); "differing": those that run differently when traced
//
// A finding's distance is -1 when the search found it. Seeds are the inputs without a parent. A number of bytes that is
// not known is null.
#ifndef VEER_SESSION_RESULTS_H
#define VEER_SESSION_RESULTS_H

#include "base/buf.h"
#include "base/err.h"
#include "store/store.h"

#define RESULTS_FILE "results.json"
#define RESULTS_NOT_MODELLED "not modelled:"

// Which findings are reported; the others are only counted, as "suppressed". Of those that are one bug
// (session/groups.h) the first is reported, with the names of the others.
struct results_choice {
	bool (*reports)(void *opaque, const struct stored_finding *f);
	bool (*is_test_code)(void *opaque, const struct stored_finding *f); // NULL: none is
	void *opaque;
};

// Writes folder/results.json; other processes see the old one or the whole new one. `choice`: NULL for all.
int results_write(struct store *s, const char *folder, const struct results_choice *choice, struct err *err);

// The text of it, added to *out.
int results_text(struct store *s, const struct results_choice *choice, struct buf *out, struct err *err);

// A string of JSON with its quotes, for any bytes: what is not UTF-8 becomes U+FFFD.
void json_string(struct buf *out, const char *text, size_t size);

#endif
