// Inputs as tests that run without veer. Each spells out its relevant bytes only.
#ifndef VEER_EXPORT_EXPORT_H
#define VEER_EXPORT_EXPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "findings/folder.h"
#include "input/adapter.h"
#include "input/input.h"

// A part of an object that has a type of its own.
struct export_field {
	char *object; // as the program calls it
	char *name;   // "count", "at.x", "name[3]"; "" when it is the whole object
	char *type;   // see formats/ctype.h
	size_t offset;
};

struct export_test {
	const char *id;                    // "F1", "I12"
	const struct input *input, *masks; // relevant bits
	bool known;                        // the masks say so
	const char *bug;          // "heap-buffer-overflow in f, a.c:7": it must not happen; NULL: an ordinary input
	bool visible;             // the bug ends the program also without sanitizers
	int status;               // of an ordinary one: how the program exits. -1: it has to end by itself
	const struct buf *output; // of a difference between versions: what the old one printed, which must stay; NULL
	const struct finding_text *recorded; // of a recorded test: the same, with what was around it; else NULL
};

struct export_suite {
	const char *program; // absolute
	const char *cwd;     // where it was explored
	const struct export_test *tests;
	size_t n;
	bool is_target; // it has LLVMFuzzerTestOneInput
	bool cmocka;    // C: for that library
	const struct export_field *fields;
	size_t n_fields;
};

const struct export_field *export_find(const struct export_suite *s, const char *object, size_t offset);
// A literal of C.
void export_string(struct buf *out, const char *data, size_t size);
// A line of text into a comment of C, which it does not end.
void export_commented(struct buf *out, const char *text, size_t size);
// Lines about a test: what it is about, how much of its input is relevant.
void export_comment(struct buf *out, const char *prefix, const struct export_test *t);

struct exporter {
	const char *name, *summary;
	// Into a folder that is there. Returns how many tests could not be written so; -1 with *err filled.
	int (*write)(const char *folder, const struct export_suite *s, struct err *err);
};

const struct exporter *exporter_find(const char *name); // or NULL

// Of differences: a test in C for each, which starts the program. Returns and fails as above.
int export_differences_c(const char *folder, const struct export_suite *s, struct err *err);
// Where a test has the file that the program opens as `path`, behind its folder: "/input", "/sub/A". Owned.
char *export_place(const struct export_suite *s, const char *path);

#define EXPORT(name) extern const struct exporter export_##name;
#include "export/exports.def"
#undef EXPORT

// Does every build of a program show a finding of this kind?
bool export_is_visible(const char *kind);
// Does the program have LLVMFuzzerTestOneInput?
bool export_is_target(const char *program);

#endif
