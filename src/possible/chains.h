// Who calls a function: chains of calls from main.
#ifndef VEER_POSSIBLE_CHAINS_H
#define VEER_POSSIBLE_CHAINS_H

#include "base/buf.h"
#include "shape/shape.h"

struct chains;

// Of all functions; the shapes must outlive it.
struct chains *chains_new(const struct shape_program *shapes);
void chains_free(struct chains *c); // may be NULL

// Appends the shortest chain through each of the callers nearest to main: "main > load > parse". Nothing when no chain
// from main leads there; of main: "main".
void chains_to(const struct chains *c, struct shape_ref function, struct strv *ret);

#endif
