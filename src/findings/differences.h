// Kinds of differences between two versions of a program (difference_kinds.def).
#ifndef VEER_FINDINGS_DIFFERENCES_H
#define VEER_FINDINGS_DIFFERENCES_H

#include "base/buf.h"
#include "execute/observation.h"

enum difference_kind {
#define DIFFERENCE_KIND(name, word, text) DIFFERENCE_##name,
#include "findings/difference_kinds.def"
#undef DIFFERENCE_KIND
	DIFFERENCE_KINDS // none
};

const char *difference_word(enum difference_kind kind);
const char *difference_text(enum difference_kind kind);
enum difference_kind difference_of_word(const char *word); // DIFFERENCE_KINDS: it is none

// What the runs of the old and the new version differ in; *ret_why says it in a line. DIFFERENCE_KINDS: in nothing.
enum difference_kind difference_find(const struct observation *old, const struct observation *new, struct buf *ret_why);

#endif
