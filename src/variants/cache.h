// The cache of variants. Everything in it can be made again.
//
//   ROOT/lock                    shared while in use, exclusive while trimmed
//   ROOT/units/HH/HASH.o         instrumented translation units
//   ROOT/programs/HASH/NAME      linked variants
//   ROOT/side/HASH               frames of -flto objects (object/side.h)
//   ROOT/runs/OWNER.XXXXXX/      a running `veer run` (record/interpose.h), the worker directories of a campaign
//   ROOT/runs/.OWNER             of a process that has such folders: locked by it, and by those it forked
//   ROOT/tmp/OWNER.XXXXXX/       work in progress
//
// Folders whose owner is locked by nobody are what a killed process left: they are removed by the next one that opens
// the cache.
//
// Files appear by rename and never change afterwards; a reader that finds one
// may use it without a lock.
#ifndef VEER_VARIANTS_CACHE_H
#define VEER_VARIANTS_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hash.h"

struct cache {
	char *root;
	int lock;  // descriptor, holds a shared lock
	int owner; // likewise, exclusive
	char *owner_name;
};

// Creates the folders and takes the shared lock.
int cache_open(struct cache *ret, struct err *err);
void cache_close(struct cache *cache);

// In a forked process that will outlive its parent: takes a shared lock of its own.
int cache_lock_again(struct cache *cache);

char *cache_unit_path(const struct cache *cache, struct hash hash);      // caller frees
char *cache_program_folder(const struct cache *cache, struct hash hash); // caller frees

// A new empty folder below ROOT/NAME; caller frees. NULL with *err filled on failure.
char *cache_folder(const struct cache *cache, const char *name, unsigned mode, struct err *err);

// Marks a file as used now, for cache_trim.
void cache_touch(const char *path);

// Removes what was used longest ago until at most `limit` bytes are left
// (0: everything). Returns the number of bytes removed, or -1 with *err filled.
// When another veer is using the cache and `wait` is false, it does nothing.
int64_t cache_trim(struct cache *cache, uint64_t limit, bool wait, struct err *err);

// $VEER_CACHE_SIZE ("20G", "500M"), else 10 GiB.
uint64_t cache_limit(void);

// Bytes in use.
uint64_t cache_size(const struct cache *cache);

#endif
