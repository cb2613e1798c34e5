// Work of a command that has to happen in the sandbox.
#ifndef VEER_CLI_SANDBOXED_H
#define VEER_CLI_SANDBOXED_H

#include <stdbool.h>

#include "sandbox/sandbox.h"

// Calls `work` in a process of its own, in the best sandbox there is (none if `unsafe`), started in `cwd`. Returns what
// it returns, an exit status; says what went wrong.
int cli_sandboxed(bool unsafe, const char *cwd, int (*work)(void *opaque, struct sandbox *sandbox), void *opaque);

#endif
