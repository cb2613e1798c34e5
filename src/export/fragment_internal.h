// Inside of fragment_c.h.
#ifndef VEER_EXPORT_FRAGMENT_INTERNAL_H
#define VEER_EXPORT_FRAGMENT_INTERNAL_H

#include "export/fragment_c.h"

// --- fragment_units.c: how the program was built ----------------------------------------------------

struct fragment_source {
	uint64_t unit; // as abi/shape.h names it; 0: a native object
	char *path;    // absolute
	char *cwd;
	struct strv options;
	uint32_t group; // of an archive
	char *object;   // native: its file in the folder; NULL: it is compiled
	size_t number;  // of its object
};

struct fragment_build {
	struct fragment_source *sources;
	size_t n, first;  // first: number of its first object
	struct strv link; // arguments behind the objects
	char *link_cwd;
};

// What `program` was made of. Kept files go to `folder`; objects are numbered from `first` on.
int fragment_build_read(struct fragment_build *ret, const char *program, const char *folder, size_t first,
                        struct err *err);
void fragment_build_release(struct fragment_build *b);
const struct fragment_source *fragment_build_find(const struct fragment_build *b, uint64_t unit); // or NULL

// --- fragment_body.c: copies of functions -----------------------------------------------------------

// Appends a copy of a function's body, with its braces, from the source's text. With a marker other than 0 the copy
// jumps there when `enters` is not 0, after `set`, and goes on. With a mark, that stands before each statement that can
// have one. False, with *reason (not to be freed): there is no way to write it.
struct fragment_copy {
	const char *text; // of the source
	const char *name; // of the function
	uint32_t line;
	const struct shape_marker *marker; // NULL: the entry
	const char *flag;                  // a variable that says whether to jump
	const char *set;                   // statements
	const char *mark;                  // a statement; NULL: none
};

bool fragment_copy_body(const struct fragment_copy *c, struct buf *out, const char **reason);

// --- fragment_case.c: a case as C -------------------------------------------------------------------

struct fragment_seen { // what a native run did
	struct buf result;
	struct buf *before, *after; // of each cell; empty: not looked at
	uint64_t *at;               // where cells were
	uint32_t n;
	const struct fragment_seen *again; // what another run of it did
};

struct fragment_unit_file { // a test file, as it comes about
	const struct fragment_suite *suite;
	const struct fragment_source *source;
	const char *text;   // of the source
	struct strv wraps;  // functions that the linker redirects
	struct strv copies; // keys of copies and stubs that are there
	struct buf shared;  // their text
	struct strv pieces; // where each begins in it: "OFFSET KEY"
	struct strv used;   // keys of those that the case needs that is being written
	uint32_t number;    // of training runs: of the one that is being written
};

// Appends a copy or a stub to the shared text.
void fragment_share(struct fragment_unit_file *f, const char *key, const struct buf *text);
bool fragment_shares(const struct fragment_unit_file *f, const char *key);

// Where a case ends that cannot go on: before the statement of a copy of its function whose mark is passed as the n-th,
// counted as they are executed.
enum { FRAGMENT_WHOLE = 0, FRAGMENT_COUNT = UINT32_MAX }; // COUNT: nowhere, the marks that it passes are counted

// Appends the case: a function of its id. `seen`: what to expect; NULL: the test reports what it sees instead. Returns
// how many expectations there are; -1 with *reason (the caller frees) when it cannot be written.
int fragment_case_write(struct fragment_unit_file *f, const struct fragment_case *c, uint32_t cut,
                        const struct fragment_seen *seen, struct buf *out, char **reason);

void fragment_seen_init(struct fragment_seen *s, uint32_t cells);
void fragment_seen_clear(struct fragment_seen *s);
void fragment_seen_release(struct fragment_seen *s);

// --- fragment_stub.c --------------------------------------------------------------------------------

// A declaration of a variable or function result: "struct list *NAME", or with __typeof__. False: the type has no name.
bool fragment_declare(const struct shape_table *t, uint32_t type, const struct shape_field *field, const char *name,
                      struct buf *out);
// "int v, const char *text"; with `types` alone when `named` is false.
bool fragment_parameters(const struct shape_table *t, const struct shape_function *f, bool named, struct buf *out);
char *fragment_parameter_name(const struct shape_table *t, const struct shape_function *f, uint32_t parameter);
bool fragment_is_variadic(const struct shape_table *t, const struct shape_function *f);
// The function through which calls of a stub go, written once per file. False: it cannot be written.
bool fragment_redirect(struct fragment_unit_file *f, const struct shape_program *p, struct shape_ref stub);

// --- fragment_run.c: compilers and tests ------------------------------------------------------------

// Runs a command, confined: it writes in `folder` only, where it starts, and may start the compiler. What it prints
// goes to *errors. Its exit status, or -1 with *err filled.
int fragment_command(const struct strv *argv, const char *folder, const char *compiler, struct buf *errors,
                     struct err *err);

enum { FRAGMENT_MILLISECONDS = 250 }; // of processor time, that a case may take when it is looked at first

// Runs a test program in the sandbox, for at most `seconds`; what it writes to standard output goes to *output.
int fragment_run_tests(const struct fragment_suite *s, const struct strv *argv, unsigned seconds, struct buf *output,
                       struct err *err);

#endif
