// Two versions of a program, and what differs between them, found without running anything.
#ifndef VEER_SESSION_VERSIONS_H
#define VEER_SESSION_VERSIONS_H

#include "base/err.h"
#include "compare/changes.h"
#include "variants/build.h"

struct versions {
	struct facts facts[CHANGE_SIDES];
	struct code_changes changes;
};

// Reads the facts of both programs and compares them. Fails when one of them was not built by veer-cc, when they are
// for different processors, and when they have no function in common. To be released in any case.
int versions_read(struct versions *ret, const struct builder *b, const char *const programs[CHANGE_SIDES],
                  struct err *err);
void versions_release(struct versions *v);

// The part "changes" of results.json: {"functions": [...], "data": [...], "types": [...], "renamed": [...]}.
void versions_json(const struct code_changes *c, struct buf *out);

#endif
