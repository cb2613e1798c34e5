// Which function and which global of one version is which of the other. For changes.c.
#ifndef VEER_COMPARE_PAIRS_H
#define VEER_COMPARE_PAIRS_H

#include "compare/facts.h"

enum { PAIRS_NONE = UINT32_MAX };

struct pairs {
	const struct facts *old, *new;
	uint32_t *functions, *globals;           // of each of NEW: its number in OLD, or PAIRS_NONE
	bool *paired_functions, *paired_globals; // of OLD: some of NEW is it
	struct strv from, to;                    // symbols that only have another name
};

void pairs_find(struct pairs *ret, const struct facts *old, const struct facts *new);
void pairs_release(struct pairs *p);

// Whether two lists of symbols are the same, as far as names that changed are known.
bool pairs_same_symbols(const struct pairs *p, const struct strv *old, const struct strv *new);

#endif
