// The real compiler behind veer: $VEER_CLANG and $VEER_CLANGXX, else the clang
// that veer was built for, else the one in PATH.
#ifndef VEER_BASE_COMPILER_H
#define VEER_BASE_COMPILER_H

#include <stdbool.h>

#include "base/err.h"

// Path of the C or C++ compiler; caller frees. NULL with *err filled when there is none.
char *compiler_find(bool cplusplus, struct err *err);

#endif
