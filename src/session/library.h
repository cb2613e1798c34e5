// Libraries that are covered without a program of their own: a host, which does nothing but load the library.
#ifndef VEER_SESSION_LIBRARY_H
#define VEER_SESSION_LIBRARY_H

#include <stdbool.h>

#include "base/err.h"

// Whether the file is a shared library or an archive, rather than a program.
bool library_is(const char *path);
bool library_is_shared(const char *path);

// Builds the host of a library (its absolute path) in the folder, which is made. Returns the host's path, which the
// caller frees; NULL with *err filled, which has what the linker misses, or the first line that it printed.
char *library_host(const char *library, const char *folder, struct err *err);

#endif
