// What of a recorded test is symbolic, step by step. The bytes of its standard input and files, one input after the
// other, are a sequence of positions; an analysis scope is a range of them. The first scope of a test has the inputs
// that fit into a bound, whole, from the smallest on; what is large, lies outside the test's own folders, or is read
// alike by most tests of the program is concrete there, and becomes symbolic window by window in later scopes.
// Arguments are symbolic in all of them.
#ifndef VEER_EXPLORE_SCOPE_H
#define VEER_EXPLORE_SCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "input/input.h"
#include "input/snapshot.h"
#include "input/windows.h"

// --- inputs that tests read alike ---------------------------------------------------------------

// Counts, per program, the tests that have to do with a file of this path and content.
struct alike_count {
	uint64_t key; // of a file, or of the program's tests; 0: free
	uint32_t n;   // tests
};
MAP(alike, struct alike_count);

void alike_add(struct alike *a, uint32_t program, const struct snapshot *s);
void alike_release(struct alike *a);
// Of so many tests of the program, how many have this file? 0: too few tests to say, or not most of them.
uint32_t alike_tests(const struct alike *a, uint32_t program, const struct snapshot_entry *e);

// --- the inputs of a test -------------------------------------------------------------------------

enum scope_group {
	SCOPE_OWN,     // the test's own
	SCOPE_OUTSIDE, // outside of its folders, and no argument names it
	SCOPE_ALIKE,   // most tests of the program read it
	SCOPE_GROUPS
};

struct scope_part {
	struct input_source of; // role INPUT_BYTES; the name is the part's own
	uint64_t size;          // in bytes
	uint64_t hash;          // of the content
	uint32_t group;         // enum scope_group
	uint32_t tests;         // SCOPE_ALIKE: that read it
	bool unread;            // the test has to do with it and does not read it: it is in no later scope
};

struct scope_parts {
	struct scope_part *v; // own ones first; in a group, the smallest first
	size_t n, cap;
};

// Standard input and all files that the test may read, as far as `sym` names them. A file that `sym` names by its path
// is the test's own.
void scope_parts_init(struct scope_parts *ret, const struct snapshot *s, const struct input *in, const char *sym,
                      const struct alike *alike, uint32_t program);
void scope_parts_release(struct scope_parts *p);
// Marks those that the test's run did not read.
void scope_parts_mark(struct scope_parts *p, bool (*was_read)(void *opaque, struct input_source of), void *opaque);

// As bytes; decoding trusts nothing, and reads what versions wrote that identified parts by their labels.
void scope_parts_encode(const struct scope_parts *p, struct buf *out);
int scope_parts_decode(struct scope_parts *ret, const void *data, size_t size, struct err *err);

// --- scopes --------------------------------------------------------------------------------------

// Where the first scope ends: behind the test's own inputs that lie whole among the first `width` positions.
uint64_t scope_first(const struct scope_parts *p, uint64_t width);
// The first position from `from` on that was read, UINT64_MAX: there is none; and the one behind `width` such
// positions.
uint64_t scope_next(const struct scope_parts *p, uint64_t from);
uint64_t scope_reach(const struct scope_parts *p, uint64_t from, uint64_t width);
// The position behind the first `size` bytes of that input, behind its end when these are all; 0 when there is no such
// input.
uint64_t scope_position(const struct scope_parts *p, struct input_source of, uint64_t size);
// The scope behind another one; returns false when there is none. What was analysed of a run that was cut is its
// beginning: the next scope begins where that ends. When all bytes are in there already, fewer lead farther.
enum { SCOPE_LEAST = 64, SCOPE_FACTOR = 4 }; // positions that are not divided; parts that more are divided into
struct scope_range {
	uint64_t from, to;
	uint64_t reached; // its run was cut behind what depends on these positions; 0: it was not cut
	uint64_t width;   // of scopes, at most
};
bool scope_after(const struct scope_parts *p, const struct scope_range *t, uint64_t *ret_from, uint64_t *ret_to);
// How many positions in [from, to) were read.
uint64_t scope_width(const struct scope_parts *p, uint64_t from, uint64_t to);

// The windows of the scope [from, to). Returns what its keys have to differ by: it names what is concrete, 0 when
// nothing is.
uint64_t scope_windows(const struct scope_parts *p, uint64_t from, uint64_t to, struct windows *ret);

// How many bytes of this part are symbolic in [from, to), its end counted as one.
uint64_t scope_overlap(const struct scope_parts *p, size_t part, uint64_t from, uint64_t to);

#endif
