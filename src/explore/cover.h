// Which lines, branches and functions of a program ran, over many runs: what the counters of its variant `explored`
// (abi/cover.h) stand for, and which of them have been seen set.
//
// Lines are those that gcov counts: of statements, and the line that names a function. A line is covered when one of
// its blocks is. Code of a header that several units have is one function with one set of lines and branches.
#ifndef VEER_EXPLORE_COVER_H
#define VEER_EXPLORE_COVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct cover;

struct cover_count {
	uint32_t covered, total;
};

struct cover_totals {
	struct cover_count lines, edges, functions; // sides: of branches, and targets of switches
};

struct cover *cover_new(void);
void cover_free(struct cover *c);

// Adds what stands in the variant at `path`, a program or a library. One without counters adds nothing. The file may be
// damaged or hostile: -1 with *err filled, and nothing is added.
int cover_add(struct cover *c, const char *path, struct err *err);
int cover_add_built(void *cover, const char *path, struct err *err); // the same, of struct server_build

// Adds all variants of a run's folder (run/interpose.h, run/server.h).
int cover_add_run(struct cover *c, const char *run, struct err *err);

// The same for the content of a section veer_cover_sites.
int cover_add_sites(struct cover *c, const void *data, size_t size, struct err *err);

// Takes over what a run left in RUN/cover and clears it for the next one. Returns how many blocks and sides of branches
// were never seen before. What the program may have done to the file does no harm; units that were not added are
// left out.
uint32_t cover_merge(struct cover *c, void *image, size_t size);

// Sets the bits of the sides that a run came by, before cover_merge; sides are numbered from 0 to cover_edges.
void cover_hits(const struct cover *c, const void *image, size_t size, uint8_t *bits);
uint32_t cover_edges(const struct cover *c);
bool cover_has_edge(const struct cover *c, uint32_t edge); // some run was there; not one that another unit has
uint32_t cover_edge_at(const struct cover *c, uint64_t unit, uint32_t byte); // UINT32_MAX: the byte is of none

// Only clears.
void cover_clear(void *image, size_t size);

struct cover_totals cover_totals(const struct cover *c);

// For the store: calls `each` for the units whose bytes changed since the last time, until it returns other than 0;
// returns that. And the way back, which returns how many were new; bytes that fit no unit are left out.
int cover_each_changed(struct cover *c, int (*each)(void *opaque, uint64_t unit, const uint8_t *bytes, size_t n),
                       void *opaque);
uint32_t cover_restore(struct cover *c, uint64_t unit, const uint8_t *bytes, size_t n);
// The same for all that the other has covered.
void cover_restore_all(struct cover *c, const struct cover *other);

// Calls `each` for each file, or each function, in order of file and line.
void cover_each_file(const struct cover *c, void (*each)(void *opaque, const char *file, struct cover_totals t),
                     void *opaque);
void cover_each_function(const struct cover *c,
                         void (*each)(void *opaque, const char *file, const char *name, uint32_t line,
                                      struct cover_totals t),
                         void *opaque);

// Calls `each` for each line, in order of file and line.
void cover_each_line(const struct cover *c, void (*each)(void *opaque, const char *file, uint32_t line, bool covered),
                     void *opaque);

// Calls `each` for each side of a branch, in order of file and line. Those of one line and column are of one branch, or
// of one switch, numbered from 0; a function that is there several times (a static one of a header) has them again.
void cover_each_edge(const struct cover *c,
                     void (*each)(void *opaque, const char *file, uint32_t line, uint32_t column, uint32_t which,
                                  bool covered),
                     void *opaque);

// A table of the files, and all together: lines, branches, functions, each covered, total, percent.
void cover_print_files(const struct cover *c, struct buf *out);

#endif
