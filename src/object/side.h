// Frames of objects that cannot carry a section: with -flto an "object" is
// LLVM bitcode, not ELF. They are kept in the cache under the hash of the
// object's content, from the compilation until the link.
#ifndef VEER_OBJECT_SIDE_H
#define VEER_OBJECT_SIDE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

// True for LLVM bitcode, plain or wrapped.
bool side_is_bitcode(const void *data, size_t size);

int side_store(const void *object, size_t size, const struct buf *frames, struct err *err);

// Appends the frames kept for that object; returns -1 when there are none.
int side_load(const void *object, size_t size, struct buf *frames, struct err *err);

#endif
