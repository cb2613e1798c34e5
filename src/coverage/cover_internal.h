// Parts of coverage, for cover*.c only: cover.c has what was seen, cover_read.c reads the tables of variants,
// cover_report.c lists.
#ifndef VEER_COVERAGE_COVER_INTERNAL_H
#define VEER_COVERAGE_COVER_INTERNAL_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/map.h"
#include "coverage/cover.h"
#include "coverage/segments.h"

// Lines, edges and functions count when a unit really has them: a header of the system may offer a function to be
// inlined, which is none of the program's (abi/cover.h).
struct cover_mark {
	bool covered, real;
};

struct cover_function {
	uint32_t name, file, line; // name: in texts
	struct cover_mark mark;
	struct segments *segments; // NULL: they are not counted
};

struct cover_line {
	uint32_t file, line, function; // function: the first that has it
	struct cover_mark mark;
};

struct cover_edge {
	uint32_t function;
	uint32_t file, line, column, which;
	struct cover_mark mark;
};

struct segment_mark {
	uint32_t function, number;
	struct cover_mark mark;
};

// What a byte stands for: a run of `links`, which ends with END.
enum { END = 0, LINE = 1, EDGE = 2, FUNCTION = 3, SEGMENT = 4, KIND_BITS = 3, KIND_MASK = (1 << KIND_BITS) - 1 };

struct cover_item {
	uint64_t id;
	uint32_t count;
	uint32_t *links; // of each byte: where its links start
	uint8_t *seen;   // its bytes, 0 or 1; room for whole words
	bool changed;
};

// By hash of what they are, as good as equal when 64 bits are; index + 1, 0: free.
struct cover_index_entry {
	uint64_t hash;
	uint32_t index;
};
MAP(cover_index, struct cover_index_entry);
MAP_FUNCTIONS(cover_index, struct cover_index, uint64_t, .hash, .index, map_hash_number, map_same_number)

#define COVER_ARRAY(type, name)                                                                                        \
	struct {                                                                                                       \
		type *v;                                                                                               \
		uint32_t n, cap;                                                                                       \
	} name

struct cover {
	struct arena names; // of files and functions
	COVER_ARRAY(char *, files);
	COVER_ARRAY(char *, texts);
	COVER_ARRAY(struct cover_function, functions);
	COVER_ARRAY(struct cover_line, lines);
	COVER_ARRAY(struct cover_edge, edges);
	COVER_ARRAY(struct segment_mark, segments);
	COVER_ARRAY(uint32_t, links); // kind | index << KIND_BITS
	COVER_ARRAY(struct cover_item, units);
	struct cover_index by_file, by_function, by_line, by_edge, by_segment, by_unit;
	struct cover_totals totals;
};

// The unit of that name; NULL: it was not added.
struct cover_item *cover_unit_of(const struct cover *c, uint64_t id);

// What a link leads to, and the sum that it counts in. It does not end a run of links.
struct cover_mark *cover_mark_of(struct cover *c, uint32_t link, struct cover_count **ret);

// Calls `each` for all links of the bytes that are set in an image.
void cover_each_link(const struct cover *c, const void *image, size_t size,
                     void (*each)(void *opaque, uint32_t link, uint8_t *bits), void *opaque, uint8_t *bits);

// Bytes of so many counters, up to a whole word.
static inline size_t cover_words(uint32_t count)
{
	return ((size_t)count + 7) / 8 * 8;
}

#endif
