// A native run of a command in the sandbox, to compare another with.
#ifndef VEER_CLI_NATIVE_RUN_H
#define VEER_CLI_NATIVE_RUN_H

#include <stdbool.h>

#include "base/buf.h"
#include "input/input.h"
#include "sandbox/written.h"
#include "variants/build.h"

struct native_run {
	bool has_status, has_output; // two runs agreed on it
	int status;                  // of waitpid
	struct buf output;           // standard output and error together
	struct written written;      // what both runs did alike to files
	const struct builder *builder;
	const char *program;
	struct input input; // of these runs
};

// Runs argv as it would run now, with the rest of standard input where that is a file, which stays where it is. Nothing
// is known afterwards when standard input is of another kind, when the command takes more than a few seconds, or where
// there is no sandbox of namespaces. argv and builder must outlive it.
void native_run(char **argv, const struct builder *builder, struct native_run *ret);
// Runs it once more, to be called when another run differs: what is not as it was before depends on the time, say, and
// is not known. So is what depends on files that the other run has changed meanwhile.
void native_run_again(struct native_run *n);
void native_run_release(struct native_run *n);

// Whether a run that ended with `status` and wrote `output` (NULL: not known), in no sandbox and just now, did the
// same, also to files. If not, *ret_why says how.
bool native_run_same(const struct native_run *n, int status, const struct buf *output, struct buf *ret_why);

#endif
