// Short names of files: the last part, and folders before it only as far as another file has the same.
#ifndef VEER_EXPLAIN_NAMES_H
#define VEER_EXPLAIN_NAMES_H

#include <stddef.h>

// The end of `path` that none of `all` (path itself may be among them) has but those that may be the same file: of two
// names one of which is the end of the other, nobody can tell. Good as long as `path` is.
const char *names_short(const char *path, char *const *all, size_t n);

#endif
