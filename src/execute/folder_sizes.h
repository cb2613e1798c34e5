// Sizes of a snapshot's folders, for native runs in it: the file system of their view has others than the one on which
// the test was recorded.
#ifndef VEER_EXECUTE_FOLDER_SIZES_H
#define VEER_EXECUTE_FOLDER_SIZES_H

#include "input/snapshot.h"

// `env` and two more variables, from which the library in `tools` takes them (abi/folder_sizes.h); NULL when there is
// nothing to tell or no way to.
char **folder_sizes_send(const struct snapshot *s, char **env, const char *tools);

#endif
