// What of the machine runs do not see (hidden.def).
#ifndef VEER_SANDBOX_HIDDEN_H
#define VEER_SANDBOX_HIDDEN_H

#include "base/buf.h"
#include "base/file.h"

#define HIDDEN_VARIABLE "VEER_HIDE" // more paths, with a colon between them

// Adds the paths that are there: absolute, without links, each once.
void hidden_paths(struct strv *ret);

// Takes secrets out of this process's environment.
void hidden_variables(void);

// In a line each: what is hidden here.
void hidden_describe(struct buf *paths, struct buf *variables);

#endif
