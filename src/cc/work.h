// One run of veer-cc: the compiler to call, temporary files, child processes.
// Signals that end the run take both with them.
#ifndef VEER_CC_WORK_H
#define VEER_CC_WORK_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

struct work {
	const char *driver; // "c" or "c++"
	char *clang;        // what compiles and links
	char *clang_c;      // what makes bitcode: always the C compiler
	char *cwd;
	char *folder;     // temporary, created when first needed; NULL before
	char *stdin_copy; // path of the saved standard input; NULL when it is not read
};

// Finds the compilers; `cplusplus` says which one is the driver.
int work_init(struct work *work, bool cplusplus, struct err *err);
void work_release(struct work *work); // removes the temporary files

// Path of a temporary file that does not exist yet; caller frees.
char *work_temp(struct work *work, const char *name);

// Saves standard input, which several runs of the compiler will read.
int work_save_stdin(struct work *work, struct err *err);

// Starts a compiler with the given arguments. Standard input is the saved copy
// if there is one. With `errors` >= 0 its standard error goes there.
pid_t work_start(struct work *work, const char *clang, const struct strv *args, int errors, struct err *err);
int work_wait(pid_t pid);

#endif
