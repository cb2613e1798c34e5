// Which lines, branches and functions of a program ran, over many runs: what the counters of its variant `explored`
// (abi/cover.h) stand for, and which of them have been seen set.
//
// Lines are those that gcov counts: of statements, and the line that names a function. A line is covered when one of
// its blocks is. Code of a header that several units have is one function with one set of lines and branches.
#ifndef VEER_COVERAGE_COVER_H
#define VEER_COVERAGE_COVER_H

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
	struct cover_count lines, edges, functions; // edges: outcomes of branches, targets of switches
	struct cover_count segments;                // of variants that count them
};

struct cover *cover_new(void);
void cover_free(struct cover *c);

// Adds what stands in the variant at `path`, a program or a library. One without counters adds nothing. The file may be
// damaged or hostile: -1 with *err filled, and nothing is added.
int cover_add(struct cover *c, const char *path, struct err *err);
int cover_add_built(void *cover, const char *path, struct err *err); // the same, of struct server_build

// Adds all variants of a run's folder (record/interpose.h, execute/server.h).
int cover_add_run(struct cover *c, const char *run, struct err *err);

// The same for the content of a section veer_cover_sites.
int cover_add_sites(struct cover *c, const void *data, size_t size, struct err *err);

// Takes over what a run left in RUN/cover and clears it for the next one. Returns how many blocks and branch edges
// were never seen before. What the program may have done to the file does no harm; units that were not added are
// left out.
uint32_t cover_merge(struct cover *c, void *image, size_t size);

// Names what a run left that was never seen before, without taking it over; 0: nothing.
uint64_t cover_news(const struct cover *c, const void *image, size_t size);

// How many segments a run passed through, each as often as it did, before cover_merge; 0 when they are not counted.
uint64_t cover_length(const void *image, size_t size);

// Sets the bits of the edges that a run took, before cover_merge; edges are numbered from 0 to cover_edges.
void cover_hits(const struct cover *c, const void *image, size_t size, uint8_t *bits);
uint32_t cover_edges(const struct cover *c);
bool cover_has_edge(const struct cover *c, uint32_t edge); // some run was there; not one that another unit has
uint32_t cover_edge_at(const struct cover *c, uint64_t unit, uint32_t byte); // UINT32_MAX: the byte is of none

// The same for segments, numbered as by cover_get_segment.
void cover_hit_segments(const struct cover *c, const void *image, size_t size, uint8_t *bits);

// Only clears.
void cover_clear(void *image, size_t size);

struct cover_totals cover_totals(const struct cover *c);
void cover_count_print(struct buf *out, struct cover_count n); // as a column: 3/4 and the percentage

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

// Calls `each` for each branch edge, in order of file and line. Those of one line and column are of one branch, or
// of one switch, numbered from 0; a function that is there several times (a static one of a header) has them again.
void cover_each_edge(const struct cover *c,
                     void (*each)(void *opaque, const char *file, uint32_t line, uint32_t column, uint32_t which,
                                  bool covered),
                     void *opaque);

struct cover_segment {
	const char *file, *function;
	uint32_t line;   // of the function
	uint32_t number; // among its segments
	bool covered;
	const struct segments *all; // the function's (coverage/segments.h); numbers of files: cover_file_name
};

// Calls `each` for each segment, in order of file, line of the function and number.
void cover_each_segment(const struct cover *c, void (*each)(void *opaque, const struct cover_segment *segment),
                        void *opaque);
// The same by number, from 0 on, in an order that stays. False: it is another unit's.
uint32_t cover_segments(const struct cover *c);
bool cover_get_segment(const struct cover *c, uint32_t i, struct cover_segment *ret);
bool cover_has_segment(const struct cover *c, uint32_t i); // some run passed through it

// The segment that a byte of a unit stands for; UINT32_MAX: it stands for none.
uint32_t cover_segment_at(const struct cover *c, uint64_t unit, uint32_t byte);

const char *cover_file_name(const struct cover *c, uint32_t file);

// "FILE:LINE FUNCTION segment NUMBER covered|not: MARKER LINE -> MARKER LINE: LINES", without an end of line. Lines of
// other files than the function's are left out. Behind it " [infeasible]"; of a covered one, which would be a bug of
// veer's, " [infeasible, but covered]".
void cover_print_segment(const struct cover *c, const struct cover_segment *segment, struct buf *out);

// A table of the files, and all together: lines, branches, functions, each covered, total, percent.
void cover_print_files(const struct cover *c, struct buf *out);

#endif
