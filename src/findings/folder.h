// DIR/findings/F1: what a user needs of a finding, in files. A folder that is there is complete.
//
//   report.txt     what, where, which bytes of which input, how to run it again
//   reproduce.sh   runs the program on the input; needs a shell, not veer
//   input/         standard input, files, and what of the rest cannot be printed, as they are
//   files/         of a recorded test: the files around it (fixture.h), in folders as they were
#ifndef VEER_FINDINGS_FOLDER_H
#define VEER_FINDINGS_FOLDER_H

#include "base/err.h"
#include "findings/verdict.h"
#include "input/input.h"
#include "input/snapshot.h"

#define DIFFERENCES_FOLDER "differences"

struct finding_text {
	const char *id;      // "F1"
	const char *program; // absolute path of the native program
	// Of a difference between two versions, "D1": the path of the newer one, `program` is the older. Its folder
	// lies in DIR/differences, and the script runs both. Else NULL.
	const char *newer;
	const char *cwd; // absolute; where it ran
	const struct verdict *verdict;
	const struct input *input;
	const struct input *seed; // what it was made from, or NULL
	// Of a recorded test, else NULL: where it ran, instead of `cwd`, and where contents of its files are kept.
	const struct snapshot *snapshot;
	const char *files;
	const char *sym; // what --sym says; NULL: not known
	// Of a test: which bits of the input are relevant. The script spells out its bytes; nothing is in input/. Else
	// NULL.
	const struct input *masks;
};

// Creates or replaces the folder below `campaign`.
int finding_write(const char *campaign, const struct finding_text *f, struct err *err);

// A line for each part of the input that has a value, as report.txt quotes it: "argument 1: \"-9\"".
void finding_input_text(const struct input *in, struct buf *out);

// Writes wrapper.sh and what it needs into an empty folder: given a program, it becomes that, run on the input. For
// gdb's `set exec-wrapper`.
int finding_write_wrapper(const char *folder, const struct finding_text *f, struct err *err);

#endif
