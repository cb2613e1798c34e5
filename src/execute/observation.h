// What a run showed: how it ended, what it printed, what it wrote to files. Of two runs of the same input, of two
// variants or versions of a program or of a recorded run and one made now, observation_same says the first difference.
#ifndef VEER_EXECUTE_OBSERVATION_H
#define VEER_EXECUTE_OBSERVATION_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "execute/executor.h"
#include "input/snapshot.h"
#include "sandbox/written.h"

// Of standard output and error, in the order in which they were written.
enum output_known {
	OUTPUT_BYTES,  // all of it
	OUTPUT_DIGEST, // size and hash
	OUTPUT_NONE,   // nobody knows
};

struct observation {
	struct run_result run;
	enum output_known known;
	struct buf output;      // OUTPUT_BYTES
	uint64_t size;          // OUTPUT_DIGEST
	struct hash hash;       // likewise
	struct written written; // which may be not known, either
	const char *words;      // with which differences name this run ("natively"), a constant; NULL: "expected"
};

void observation_release(struct observation *o);

// Runs the input, and notes what it did. *ret: zeroed, or an earlier observation, which is released.
int observe(struct executor *e, const struct input *in, unsigned milliseconds, struct observation *ret,
            struct err *err);
// Of the executor's last run, which ended like that: notes its output.
void observation_take(struct observation *ret, const struct executor *e, const struct run_result *run);
// What is known of the run that was recorded. Nothing of it has to be released.
struct observation observation_recorded(const struct snapshot *s);

// How it ended: "exit status 3", "signal 11".
void observation_end_text(const struct run_result *run, struct buf *out);
// Was the run ended by a limit of veer's, and can tell nothing?
bool observation_is_cut(const struct observation *o);

// What differs first is what `observation_same` says; these are its parts. What one of them does not know is the same.
bool observation_same_end(const struct observation *a, const struct observation *b);
bool observation_same_output(const struct observation *a, const struct observation *b);

// What both have where their output begins to differ, quoted, from a few bytes on.
void observation_quote_difference(const struct observation *a, const struct observation *b, struct buf *ret_a,
                                  struct buf *ret_b);

// Whether `got` did what was `expected`. If not, *ret_why says in a line what differs first. `again`: another run like
// `expected`; what these two do not agree on is not compared. NULL: none.
bool observation_same(const struct observation *expected, const struct observation *got,
                      const struct observation *again, struct buf *ret_why);

// Whether a native run in its snapshot with the seed's own input did what was recorded. If not, *ret_why says what
// differs, and names a variable whose value is not stored, which may be the reason.
bool observation_as_recorded(const struct observation *native, const struct snapshot *s, struct buf *ret_why);

#endif
