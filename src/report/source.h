// Source files as reports show them. They may be gone, or changed since.
#ifndef VEER_REPORT_SOURCE_H
#define VEER_REPORT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

// Lines, without their ends; line 1 is v[0]. n is 0 when the file cannot be read.
struct source {
	char **v;
	size_t n;
};

// Names of sources come from debug information, which a line `#line 1 "/home/me/.netrc"` writes: only files below
// folders that were allowed are read, by their real paths. `path`: a folder, which does not count when the user's home
// is in it or it, or a file. source_allow_none: forgets all.
void source_allow(const char *path);
void source_allow_none(void);

// Reads at most 4 MB of a regular file that is allowed.
void source_read(struct source *ret, const char *path);
void source_release(struct source *s);

// Adds the line, tabs as blanks, without control characters; "" when there is none.
void source_line(const struct source *s, uint32_t line, struct buf *out);

// Where the byte `column` of the line, counted from 1, stands in what source_line adds; counted from 0.
size_t source_column(const struct source *s, uint32_t line, uint32_t column);

// The source that was read last, for who comes by many lines: a struct of zeros to begin with.
struct source_at_hand {
	char *name;
	struct source source;
};

// Adds the line without what it is indented by, at most `most` bytes; nothing when it cannot be read. `finding`: the
// file of the finding, of which `file` may only be the end.
void source_quote(struct source_at_hand *at_hand, const char *file, const char *finding, uint32_t line, size_t most,
                  struct buf *out);
void source_at_hand_release(struct source_at_hand *at_hand);

// Whether two names mean the same file: one may be the end of the other.
bool source_is_same(const char *a, const char *b);

// `path` as seen from the folder `root`, without "..": relative when it is below, else absolute. The caller frees.
char *source_relative(const char *root, const char *path);

#endif
