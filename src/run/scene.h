// What surrounds a run of a recorded test: which program, where, with which environment, and the part of the file
// system that it had to do with, as it was before. Together with an input (its arguments and what it read from standard
// input) it is a seed. Plain data, like an input; contents of files are kept once, in files named after their hash.
#ifndef VEER_RUN_SCENE_H
#define VEER_RUN_SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "run/input.h"
#include "run/sandbox.h"

enum scene_kind {
	SCENE_FILE,   // regular; content: below `files`
	SCENE_FOLDER, // its entries are entries of their own, those that matter
	SCENE_LINK,   // text: where it leads
	SCENE_PIPE,   // a named one
	SCENE_ABSENT, // nothing was there; what is there today is taken away
	SCENE_KINDS
};

struct scene_entry {
	enum scene_kind kind;
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

enum scene_stream { STREAM_ORDINARY, STREAM_CLOSED, STREAM_FULL, STREAM_NULL }; // FULL: /dev/full

struct scene {
	char *program;    // absolute path of the native program
	struct hash id;   // of the program's content: another build is another program
	char *cwd;        // absolute
	char **variables; // NAME=VALUE: those that it can have asked for
	size_t n_variables;
	uint8_t *marks; // enum scene_mark of each; NULL: all are VARIABLE_ASKED
	bool whole;     // it may see the environment as a whole, or executes others that do: variables has all of it
	uint32_t umask;
	int64_t clock; // seconds since 1970 when it was started
	enum scene_stream streams[3];
	bool pipe; // its standard input was one, or a socket
	// When the file that its standard input was had changed last; 0: it was none, or that is not known.
	int64_t input_seconds;
	uint32_t input_nanoseconds;
	struct scene_entry *v; // folders before what is in them
	size_t n, cap;
	// How it ended, for comparison.
	int status; // as of waitpid
	bool output_known;
	// Of standard output and error together, in the order in which it was written. What went to a stream that is
	// not STREAM_ORDINARY is no part of it.
	uint64_t output_size;
	struct hash output;
	char *why; // it cannot be run again alike: one line that says why; NULL: it can
};

enum scene_mark {
	VARIABLE_ASKED = 1, // its name occurs in the program, or in something that it reads
	VARIABLE_SET = 2,   // the suite set it: veer was started with another value, or with none
	VARIABLE_MASKED = 4 // it looks like a secret: its value is VARIABLE_MASK (variables.h)
};

enum { VARIABLE_MARKS = 8 };

// Values of variables that look like secrets are masked. Whether there were any.
bool scene_mask(struct scene *s);

// Of variable number i.
unsigned scene_mark(const struct scene *s, size_t i);

struct scene_entry *scene_add(struct scene *s, enum scene_kind kind, const char *path);
const struct scene_entry *scene_find(const struct scene *s, const char *path); // or NULL
void scene_release(struct scene *s);

// As bytes; decoding trusts nothing.
void scene_encode(const struct scene *s, struct buf *out);
int scene_decode(struct scene *ret, const void *data, size_t size, struct err *err);

// The same test on the same program: like scene_encode but without what differs from one run of a suite to the next
// and makes no difference: clock, times of files, the random part of names of temporary folders (temporary.h; with `t`
// NULL names are as they are), variables that it did not ask for, how it ended. When it may have seen others (`whole`),
// a difference that these made shows in how it ended.
struct temporary;
struct hash scene_hash(const struct scene *s, const struct input *in, const struct temporary *t);

// LD_LIBRARY_PATH as it had it, made absolute; "" when it had none. The caller frees it.
char *scene_libraries(const struct scene *s);

// Contents: kept once, below `files`. Hash and size come back. Written atomically.
int scene_keep(const char *files, const void *data, size_t size, struct hash *ret, struct err *err);
int scene_content(const char *files, const struct scene_entry *e, struct buf *ret, struct err *err);

// Adds to `seed`, the scene's own input, what `in` has of files and variables and it has not, as the scene has them: so
// that the two can be compared.
int scene_complete(const struct scene *s, const char *files, const struct input *in, struct input *seed,
                   struct err *err);

// Makes the view of the next run what it was: before each run, as sandbox_put. Files of `in` have their content from
// there. Only with SANDBOX_NAMESPACES; what cannot be made (another user's, a device) is left out.
int scene_put(const struct scene *s, const struct input *in, const char *files, struct sandbox *sandbox,
              struct err *err);

#endif
