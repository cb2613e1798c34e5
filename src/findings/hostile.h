// Reading what a program under test may have written.
#ifndef VEER_FINDINGS_HOSTILE_H
#define VEER_FINDINGS_HOSTILE_H

#include <dirent.h>
#include <stddef.h>

#include "base/buf.h"

// A copy of the text, of at most 400 bytes, with `?` for each byte of what is not printable (base/utf8.h).
char *hostile_clean(const char *text, size_t size);

// Opens a folder, which must not be a link. NULL when it is none.
DIR *hostile_list(const char *folder);

// Opens a regular file only: a program could have put a pipe or a link in its place. -1 when it is none.
int hostile_open(int folder, const char *name);

// Reads at most `limit` bytes; a line that is cut off there is left out.
void hostile_read(int fd, size_t limit, struct buf *out);

#endif
