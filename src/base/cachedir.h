// Where veer keeps what it can make again: $VEER_CACHE_DIR, else
// $XDG_CACHE_HOME/veer, else ~/.cache/veer, else /tmp/veer-cache-UID.
#ifndef VEER_BASE_CACHEDIR_H
#define VEER_BASE_CACHEDIR_H

#include "base/err.h"

char *cachedir_root(void); // absolute; caller frees; may not exist yet

// What is in the cache gets executed, so it must not be another user's: returns -1 with
// *err filled when the folder exists and belongs to somebody else, or anybody may write.
int cachedir_check(const char *root, struct err *err);

#endif
