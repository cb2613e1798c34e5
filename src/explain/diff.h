// A part of an input beside what it was in the test, in rows that people can read: lines where it is text (some bytes
// of which may be none), sixteen bytes in hex elsewhere. How a row is drawn is up to the report.
#ifndef VEER_EXPLAIN_DIFF_H
#define VEER_EXPLAIN_DIFF_H

#include "explain/explain.h"

enum diff_sign { DIFF_SAME, DIFF_WAS, DIFF_NOW, DIFF_GAP }; // GAP: rows that are as they were are left out

struct diff_row {
	enum diff_sign sign;
	const uint8_t *bytes;
	const uint8_t *marks; // enum byte_mark of each; NULL: not known
	uint8_t *changed;     // of each, 1 when it is not as in the other; NULL: none is
	size_t n;
	size_t offset; // in the part
	// GAP: bytes that are left out, and how many of them are relevant.
	size_t skipped, relevant;
};

struct diff {
	bool text; // else hex
	struct diff_row *v;
	size_t n, cap;
};

enum { DIFF_HEX = 16 };

// Rows that are the same and in which nothing is relevant are left out, but for those around the others; of those in
// which something is only relevant the nearest to a change are shown (or the first). `most`: rows at most, the rest is
// a gap. The part must outlive the diff.
void diff_make(struct diff *ret, const struct explained_part *p, bool has_seed, size_t most);
void diff_release(struct diff *d);

// A byte of a text: "a", "\\n", "\\x00"; what can be printed is itself, but for the backslash.
void diff_spell(struct buf *out, uint8_t byte);

#endif
