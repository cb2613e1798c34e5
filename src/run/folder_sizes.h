// Sizes of a snapshot's folders, for native runs in it: the file system of their view has others than the one on which
// the test was recorded.
#ifndef VEER_RUN_FOLDER_SIZES_H
#define VEER_RUN_FOLDER_SIZES_H

#include "run/snapshot.h"

// `env` and two more variables, by which the library in `tools` is told (abi/folder_sizes.h); NULL when there is
// nothing to tell or no way to.
char **folder_sizes_send(const struct snapshot *s, char **env, const char *tools);

#endif
