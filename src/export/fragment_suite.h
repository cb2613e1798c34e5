// Inside of fragment_c.c and fragment_compile.c: a suite while it is written.
#ifndef VEER_EXPORT_FRAGMENT_SUITE_H
#define VEER_EXPORT_FRAGMENT_SUITE_H

#include "export/fragment_internal.h"

struct file { // the tests of a unit
	char *name;
	const struct fragment_build *build;
	struct fragment_unit_file unit;
	struct buf source;
	const struct fragment_case **cases;
	struct fragment_seen *seen, *again; // of each case
	char **reasons;                     // why it is none; NULL: it is
	bool *fatal;                        // its run ended before the function did
	uint32_t *cuts;                     // where it ends (fragment_internal.h)
	bool *aside;                        // others are looked at now
	bool done;                          // all is known of its cases
	bool optimised;                     // the tests must be, too: they call what compilers must inline
	size_t n;
	struct strv made_of; // lines of the file that begin a case: "LINE NUMBER"
	struct strv *uses;   // keys of the stubs and copies that each case needs
	struct strv pieces;  // lines of the file that begin one of these: "LINE KEY"
	struct buf text;
	size_t checks;
};

struct exporting {
	const struct fragment_suite *s;
	const char *folder;
	struct fragment_build *builds; // of the suite's programs
	size_t n_builds;
	bool cmocka;       // tests are for it: at last, when all is known
	struct file *only; // what is done in this process, without cmocka; NULL: this is for all
	struct file *files;
	size_t n;
	struct fragment_written *ret;
};

// Cases that are no tests are dropped, with the reason; the first one stays.
void fragment_drop(struct file *f, size_t i, const char *reason);
size_t fragment_left(const struct file *f); // cases that are not, and are not aside
// Makes the file's text, of the cases from `from` on that are left, before `to`.
void fragment_write_text(struct exporting *e, struct file *f, bool reports, size_t from, size_t to);
int fragment_put(const struct exporting *e, const char *name, const char *end, const struct buf *text, struct err *err);
// Makefile; of one file's process, NAME.mk.
int fragment_put_makefile(struct exporting *e, struct err *err);

// --- fragment_do.c ----------------------------------------------------------------------------------

// All files, each in a process of its own: what is no test is known when it returns, and the files are there.
int fragment_do_files(struct exporting *e, struct err *err);

// --- fragment_watch.c -------------------------------------------------------------------------------

// Runs the reports. What did not come to its end is dropped, with how it ended.
int fragment_watch(struct exporting *e, struct file *f, bool second, struct err *err);
// Runs the reports once more, with sanitizers: what goes beyond an object, or does what C does not define, does
// something else under another compiler, and so does what depends on where objects lie, which is elsewhere there. Where
// there are no sanitizers nothing is known.
int fragment_sanitize(struct exporting *e, struct file *f, struct err *err);
// Runs the tests: "not ok ID" is dropped, and what has no line at all. *ret_all: none was dropped.
int fragment_verify(struct exporting *e, struct file *f, bool *ret_all, struct err *err);
// Cases whose runs ended before the function did are no longer dropped when they can end before the statement that did
// it; all others are put aside. Returns how many there are; the object files are of another text now. -1 with *err.
int fragment_cut(struct exporting *e, struct file *f, struct err *err);

// --- fragment_compile.c -----------------------------------------------------------------------------

// Builds the file's test program; cases that do not compile are dropped. -1 with *err filled: nothing compiles.
int fragment_compile(struct exporting *e, struct file *f, bool reports, struct err *err);
// Builds it with sanitizers, and reports, in a folder of its own: *ret_folder, which the caller frees in any case. 1:
// that does not work here.
int fragment_compile_sanitized(struct exporting *e, struct file *f, char **ret_folder, struct err *err);
// Builds the objects that all tests are linked with, so that each file's process finds them there. -1 with *err filled:
// they do not compile.
int fragment_compile_others(struct exporting *e, struct err *err);
void fragment_remove_sanitized(const struct exporting *e);

#endif
