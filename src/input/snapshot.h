// What surrounds a run of a recorded test: which program, where, with which environment, and the part of the file
// system that it had to do with, as it was before. Together with an input (its arguments and what it read from standard
// input) it is a seed. Plain data, like an input; contents of files are kept once, in files named after their hash.
#ifndef VEER_INPUT_SNAPSHOT_H
#define VEER_INPUT_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "input/input.h"

enum snapshot_kind {
	SNAPSHOT_FILE,   // regular; content: below `files`
	SNAPSHOT_FOLDER, // its entries are entries of their own, those that matter
	SNAPSHOT_LINK,   // text: where it leads
	SNAPSHOT_PIPE,   // a named one
	SNAPSHOT_ABSENT, // nothing was there; what is there today is taken away
	SNAPSHOT_KINDS
};

struct snapshot_entry {
	enum snapshot_kind kind;
	char *path; // absolute, without links in its folders
	char *text; // of a link; of a file: an earlier one that this is another name of, or NULL
	uint32_t mode;
	int64_t seconds; // when it was last changed
	uint32_t nanoseconds;
	uint64_t size;
	struct hash content; // of a file
	// Its content is. A file that was only looked at may have none, and is zeros of that size then. A folder: it
	// was listed, and all that was in it has entries here; what else is there today is taken away.
	bool known;
};

enum snapshot_stream { STREAM_ORDINARY, STREAM_CLOSED, STREAM_FULL, STREAM_NULL }; // FULL: /dev/full

struct snapshot {
	char *program;    // absolute path of the native program
	struct hash id;   // of the program's content: another build is another program
	char *cwd;        // absolute
	char **variables; // NAME=VALUE: those that it can have asked for
	size_t n_variables;
	uint8_t *marks; // enum snapshot_mark of each; NULL: all are VARIABLE_READ
	bool whole;     // it may see the environment as a whole, or executes others that do: variables has all of it
	uint32_t umask;
	int64_t clock; // seconds since 1970 when it was started
	enum snapshot_stream streams[3];
	bool pipe; // its standard input was one, or a socket
	// When the file that its standard input was had changed last; 0: it was none, or that is not known.
	int64_t input_seconds;
	uint32_t input_nanoseconds;
	struct snapshot_entry *v; // folders before what is in them
	size_t n, cap;
	// How it ended, for comparison.
	int status; // as of waitpid
	bool output_known;
	// Of standard output and error together, in the order in which it was written. What went to a stream that is
	// not STREAM_ORDINARY is no part of it.
	uint64_t output_size;
	struct hash output;
	char *why; // the execution cannot be reproduced: one line that says why; NULL: it can
};

enum snapshot_mark {
	VARIABLE_READ = 1,  // its name occurs in the program, or in something that it reads
	VARIABLE_SET = 2,   // the suite set it: veer was started with another value, or with none
	VARIABLE_MASKED = 4 // it looks like a secret: its value is VARIABLE_MASK (variables.h)
};

enum { VARIABLE_MARKS = 8 };

// Values of variables that look like secrets are masked. Whether there were any.
bool snapshot_mask(struct snapshot *s);

// Of variable number i.
unsigned snapshot_mark(const struct snapshot *s, size_t i);

struct snapshot_entry *snapshot_add(struct snapshot *s, enum snapshot_kind kind, const char *path);
const struct snapshot_entry *snapshot_find(const struct snapshot *s, const char *path); // or NULL
void snapshot_release(struct snapshot *s);

// As bytes; decoding trusts nothing.
void snapshot_encode(const struct snapshot *s, struct buf *out);
int snapshot_decode(struct snapshot *ret, const void *data, size_t size, struct err *err);

// The same test on the same program: like snapshot_encode but without what differs from one run of a suite to the next
// and makes no difference: clock, times of files, the random part of names of temporary folders (temporary.h; with `t`
// NULL names are as they are), variables that it did not ask for, how it ended. When it may have seen others (`whole`),
// a difference that these made shows in how it ended.
struct temporary;
struct hash snapshot_hash(const struct snapshot *s, const struct input *in, const struct temporary *t);

// LD_LIBRARY_PATH as it had it, made absolute; "" when it had none. The caller frees it.
char *snapshot_libraries(const struct snapshot *s);

// Contents: kept once, below `files`. Hash and size come back. Written atomically.
int snapshot_keep(const char *files, const void *data, size_t size, struct hash *ret, struct err *err);
int snapshot_content(const char *files, const struct snapshot_entry *e, struct buf *ret, struct err *err);

// Adds to `seed`, the snapshot's own input, what `in` has of files and variables and it has not, as the snapshot has
// them: so that the two can be compared.
int snapshot_complete(const struct snapshot *s, const char *files, const struct input *in, struct input *seed,
                      struct err *err);

#endif
