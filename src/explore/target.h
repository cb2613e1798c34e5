// What of a recorded test is symbolic, step by step. The bytes of its standard input and files, one input after the
// other, are a sequence of positions; an analysis target is a range of them. The first target of a test has the inputs
// that fit into a bound, whole, from the smallest on; what is large, lies outside the test's own folders, or is read
// alike by most tests of the program is concrete there, and becomes symbolic window by window in later targets.
// Arguments are symbolic in all of them.
#ifndef VEER_EXPLORE_TARGET_H
#define VEER_EXPLORE_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run/input.h"
#include "run/snapshot.h"
#include "run/windows.h"

// --- inputs that tests read alike ---------------------------------------------------------------

// Counts, per program, the tests that have to do with a file of this path and content.
struct alike {
	uint64_t *keys; // open addressing; 0: free
	uint32_t *counts;
	size_t n, cap;
};

void alike_add(struct alike *a, uint32_t program, const struct snapshot *s);
void alike_release(struct alike *a);
// Of so many tests of the program, how many have this file? 0: too few tests to say, or not most of them.
uint32_t alike_tests(const struct alike *a, uint32_t program, const struct snapshot_entry *e);

// --- the inputs of a test -------------------------------------------------------------------------

enum target_group {
	TARGET_OWN,     // the test's own
	TARGET_OUTSIDE, // outside of its folders, and no argument names it
	TARGET_ALIKE,   // most tests of the program read it
	TARGET_GROUPS
};

struct target_part {
	char *name;     // as in the trace
	uint64_t size;  // in bytes
	uint64_t hash;  // of the content
	uint32_t group; // enum target_group
	uint32_t tests; // TARGET_ALIKE: that read it
	bool unread;    // the test has to do with it and does not read it: it is in no later target
};

struct target_parts {
	struct target_part *v; // own ones first; in a group, the smallest first
	size_t n, cap;
};

// Standard input and all files that the test may read, as far as `sym` names them. A file that `sym` names by its path
// is the test's own.
void target_parts_init(struct target_parts *ret, const struct snapshot *s, const struct input *in, const char *sym,
                       const struct alike *alike, uint32_t program);
void target_parts_release(struct target_parts *p);
// Marks those that the test's run did not read.
void target_parts_mark(struct target_parts *p, bool (*was_read)(void *opaque, const char *name), void *opaque);

// As bytes; decoding trusts nothing.
void target_parts_encode(const struct target_parts *p, struct buf *out);
int target_parts_decode(struct target_parts *ret, const void *data, size_t size, struct err *err);

// --- targets --------------------------------------------------------------------------------------

// Where the first target ends: behind the test's own inputs that lie whole among the first `width` positions.
uint64_t target_first(const struct target_parts *p, uint64_t width);
// The first position from `from` on that was read, UINT64_MAX: there is none; and the one behind `width` such
// positions.
uint64_t target_next(const struct target_parts *p, uint64_t from);
uint64_t target_reach(const struct target_parts *p, uint64_t from, uint64_t width);
// The position behind the first `size` bytes of the input of that name, behind its end when these are all; 0 when
// there is no such input.
uint64_t target_position(const struct target_parts *p, const char *name, uint64_t size);
// The target behind another one; returns false when there is none. What was looked at of a run that was cut is its
// beginning: the next target begins where that ends. When all bytes are in there already, fewer lead farther.
enum { TARGET_LEAST = 64, TARGET_FACTOR = 4 }; // positions that are not divided; parts that more are divided into
struct target_range {
	uint64_t from, to;
	uint64_t reached; // its run was cut behind what depends on these positions; 0: it was not cut
	uint64_t width;   // of targets, at most
};
bool target_after(const struct target_parts *p, const struct target_range *t, uint64_t *ret_from, uint64_t *ret_to);
// How many positions in [from, to) were read.
uint64_t target_width(const struct target_parts *p, uint64_t from, uint64_t to);

// The windows of the target [from, to). Returns what its keys have to differ by: it names what is concrete, 0 when
// nothing is.
uint64_t target_windows(const struct target_parts *p, uint64_t from, uint64_t to, struct windows *ret);

// How many bytes of this part are symbolic in [from, to), its end counted as one.
uint64_t target_overlap(const struct target_parts *p, size_t part, uint64_t from, uint64_t to);

#endif
