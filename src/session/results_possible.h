// What results.json says of possible findings.
#ifndef VEER_SESSION_RESULTS_POSSIBLE_H
#define VEER_SESSION_RESULTS_POSSIBLE_H

#include "base/buf.h"
#include "base/err.h"
#include "possible/possible.h"

// How many possible findings there are, and what became of them.
struct possible_totals {
	size_t found, promoted;
	size_t by[FILTERS]; // of the others: suppressed, by filter; FILTER_NONE: not suppressed
	size_t assessed;    // whose precondition is known
};
int possible_count(struct store *store, struct possible_totals *ret, struct err *err);
size_t possible_count_suppressed(const struct possible_totals *t);

// The member "possible": the totals.
int results_possible(struct store *store, struct buf *out, struct err *err);
// Members of a possible finding, each with a comma behind it.
void results_possible_finding(struct store *store, const struct stored_finding *f, struct buf *out);

#endif
