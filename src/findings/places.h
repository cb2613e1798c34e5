// Source lines of addresses in variants, each asked for once: a shrinking finding stops at the same places in
// hundreds of runs, and to ask takes longer than a run.
#ifndef VEER_FINDINGS_PLACES_H
#define VEER_FINDINGS_PLACES_H

#include "base/buf.h"
#include "execute/executor.h"
#include "findings/address.h"

// Fills in `lines` of those frames that lie in the variants that the executor runs; they are good until the next
// call. Only files of the cache are looked into, whatever a report names.
void places_find(const struct executor *e, struct address_report *r);

// Gives back what is remembered.
void places_forget(void);

#endif
