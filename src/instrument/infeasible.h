// Segments that no run passes through, whatever state it begins with: conditions on them contradict each other.
//
//     if (n > 5) a();      four ways lead through these two lines; two of them, n > 5 and not n > 5, are infeasible
//     if (n > 5) b();
//
// The code of every segment is executed on terms (terms.h): at the marker nothing is known; variables whose address is
// not taken keep what is stored to them, other memory does until something else is stored or called. Comparisons of one
// value with constants are decided exactly. So what is found infeasible is; much that is may not be found.
//
// On the code as clang made it, before any pass, as the markers are (markers.h).
#ifndef VEER_INSTRUMENT_INFEASIBLE_H
#define VEER_INSTRUMENT_INFEASIBLE_H

#include "instrument/markers.h"

// Segments of a function, by number, in order.
struct infeasible {
	uint32_t *v, n;
	// Those that runs with made-up state cannot prove to be out of reach: they compare addresses, of which made-up
	// pointers have few; or the execution was cut.
	uint32_t *unprovable, n_unprovable;
};

void infeasible_find(const struct markers *m, struct infeasible *ret);
void infeasible_release(struct infeasible *f);

#endif
