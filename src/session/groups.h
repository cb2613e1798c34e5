// One bug, one finding: which findings are the same bug on other call paths. Findings are one group when level, kind
// and cause are the same. The cause is the line of the innermost frame with the object that is accessed; or, of
// undefined behaviour in the expansion of a macro, that macro.
#ifndef VEER_SESSION_GROUPS_H
#define VEER_SESSION_GROUPS_H

#include "base/buf.h"
#include "store/store.h"

struct groups {
	struct group_member {
		uint64_t key;
		int64_t id, lead; // lead: the first member of the group; its own id when it is that
	} *v;
	size_t n, cap;
};

// Adds a finding to its group. Returns the id of the group's first member, f->id when it is the first.
int64_t groups_add(struct groups *g, const struct stored_finding *f);
int64_t groups_lead(const struct groups *g, int64_t id); // of one that was added
void groups_release(struct groups *g);

// Names of the other members of the group that `lead` leads: "F2".
void groups_others(const struct groups *g, int64_t lead, struct strv *ret);

// The cause in a text, the same for findings of one group; for tests.
void group_cause(const struct stored_finding *f, struct buf *ret);

#endif
