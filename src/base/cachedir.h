// Where veer keeps what it can make again: $VEER_CACHE_DIR, else
// $XDG_CACHE_HOME/veer, else ~/.cache/veer, else /tmp/veer-cache-UID.
//
// A cache is marked by a file CACHEDIR.TAG, which backup programs know, too. veer
// writes and deletes only inside a marked folder.
#ifndef VEER_BASE_CACHEDIR_H
#define VEER_BASE_CACHEDIR_H

#include "base/err.h"

char *cachedir_root(void); // absolute; caller frees; may not exist yet

// Makes the folder a cache: creates and marks it when it is not there or empty. What is in
// the cache gets executed, so group and others lose the right to write to it. Returns -1 with
// *err filled when it has files of somebody else's (it is neither empty nor marked), belongs
// to another user, anybody may write to it, or is a link below /tmp.
int cachedir_prepare(const char *root, struct err *err);

#endif
