// What runs of two versions that entered the same function leave (abi/left.h), and what of it differs.
#ifndef VEER_FINDINGS_LEFT_H
#define VEER_FINDINGS_LEFT_H

#include "execute/executor.h"
#include "findings/differences.h"
#include "shape/convert.h"

enum left_end { LEFT_ENDED, LEFT_BY_RETURN, LEFT_BY_EXIT, LEFT_BY_CUT }; // LEFT_ENDED: no report says

struct left_value {
	char *place, *type, *value, *before;
};

struct left_call {
	char *name, *arguments;
};

struct left {
	enum left_end end;
	struct left_value *v, *leads; // leads: value is the function
	struct left_call *calls;
	size_t n, cap, n_leads, cap_leads, n_calls, cap_calls;
	bool full;
};

// Of the executor's last run.
void left_read(struct left *ret, const struct executor *e);
void left_release(struct left *l);

// A difference: what the places hold, in the new version's words.
struct left_difference {
	enum difference_kind kind;
	char *place, *old, *new;
};

struct left_differences {
	struct left_difference *v;
	size_t n, cap;
	bool unclear; // made-up pointers lead to other functions, so that nothing follows
};

// `c`: from the old version to the new one. Adds what differs.
void left_compare(const struct left *old, const struct left *new, const struct convert *c,
                  struct left_differences *ret);
// Removes what the other list does not have, too.
void left_keep_common(struct left_differences *d, const struct left_differences *other);
void left_differences_release(struct left_differences *d);

#endif
