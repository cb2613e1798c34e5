// What of the programs under test is analysed, and what is reported of it: --include, --exclude, --checks.
#ifndef VEER_FINDINGS_FILTER_H
#define VEER_FINDINGS_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

// Does the path match the glob? One that does not begin with a slash may match any part of the path's end that begins
// with a name: `parse.c` and `src/parse.c` match /home/me/src/parse.c. `*` stands for slashes, too.
bool glob_path(const char *glob, const char *path);

struct filter_item {
	char *glob;
	bool exclude;
	bool file, function, program; // what it is about; a bare one: file and program
	bool known;                   // it names a program that there is, see filter_know_program
};

// Zeroed: everything.
struct filter {
	struct filter_item *v;
	size_t n;
	uint64_t unwanted; // kinds of checks, a bit each
	uint64_t asked;    // of FLOAT_CHECK in abi/checks.def, likewise: those that were asked for
};

// Each list may be NULL. -1 with *err filled when it is none; *ret is released then.
int filter_parse(struct filter *ret, const char *include, const char *exclude, const char *checks, struct err *err);
void filter_release(struct filter *f);

bool filter_wants_all(const struct filter *f);

// Whether a check of operations on floats was asked for: runs have them only then (LAUNCH_FLOATS).
bool filter_asks_floats(const struct filter *f);

// Gets all programs before filter_wants_program is asked: a bare name in --include is that of a program, and
// leaves out all others, when there is a program of this name.
void filter_know_program(struct filter *f, const char *path);

// NULL: it is wanted. Else why it is not, in a few words.
const char *filter_leaves_out(const struct filter *f, const char *program);

// Whether checks in this place, and what is found there, are of interest.
bool filter_wants_place(const struct filter *f, const char *program, const char *file, const char *function);

// `kind`: of trace_check_kind.
bool filter_wants_check(const struct filter *f, uint32_t kind);

// Whether undefined behaviour of this kind, by its name, is; true of kinds that are none.
bool filter_wants_kind(const struct filter *f, const char *kind);

// Adds what it says, in lines that are the same for the same filter; none when everything is wanted.
void filter_text(const struct filter *f, struct buf *ret);

#endif
