// The part of the oracle of two versions that is about runs which enter a function with made-up state.
#ifndef VEER_FINDINGS_ORACLE_TWINS_H
#define VEER_FINDINGS_ORACLE_TWINS_H

#include "findings/oracle.h"
#include "findings/twins.h"

// As struct oracle's run. The input is that of the version of c->target. A difference is a verdict of level possible,
// whose report has a line for each place: PLACE, kind, old and new value, separated by tabs. A verdict of the kind
// ORACLE_SILENT: nothing follows, since the old version faults or a run breaks an assumption.
int oracle_twins_run(const struct oracle_case *c, const struct input *in, struct verdicts *ret, struct err *err);

#endif
