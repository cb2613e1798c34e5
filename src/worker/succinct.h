// An input with only its relevant bytes: bytes that no decision of its run depends on are filled with something plain,
// or cut off at the end. What came of it is run: it takes the same path, ends in the same way, and shows the same bug.
#ifndef VEER_WORKER_SUCCINCT_H
#define VEER_WORKER_SUCCINCT_H

#include "worker/client.h"

enum succinct_kind {
	SUCCINCT_EXACT,  // as it was: what is relevant is not known, or all of it does
	SUCCINCT_FILLED, // all there, with other bytes
	SUCCINCT_CUT,    // shorter, too
};

struct succinct {
	enum succinct_kind kind;
	struct input whole;    // as it was, with all objects of the program
	struct input input;    // as it became
	struct input masks;    // of that: the same parts, of the same sizes: relevant bits
	bool known;            // masks say so; otherwise all of them are set
	struct run_result run; // of the input
	bool shows;            // the bug with the key that was asked for
};

// `of`: its input, of which program, in which snapshot. `key`: of a finding; 0: none.
int succinct_make(struct succinct *ret, struct client *a, const struct job *of, uint64_t key, struct err *err);
// Without a look: as it was.
void succinct_keep(struct succinct *ret, const struct input *in);
void succinct_release(struct succinct *s);
// As bytes, for another process of the same program. -1 with *err filled: they are damaged.
void succinct_encode(const struct succinct *s, struct buf *out);
int succinct_decode(struct succinct *ret, struct cursor *c, struct err *err);

// What stands in place of don't-care bytes: in text an x, elsewhere a zero byte.
char succinct_filler(const struct input_part *part, const struct input_part *mask);

#endif
