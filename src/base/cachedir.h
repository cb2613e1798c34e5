// Where veer keeps what it can make again: $VEER_CACHE_DIR, else
// $XDG_CACHE_HOME/veer, else ~/.cache/veer, else /tmp/veer-cache-UID.
#ifndef VEER_BASE_CACHEDIR_H
#define VEER_BASE_CACHEDIR_H

char *cachedir_root(void); // absolute; caller frees; may not exist yet

#endif
