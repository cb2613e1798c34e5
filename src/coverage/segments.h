// The segments of a function, as the table of a variant describes them (abi/cover.h): how many there are, and of each
// the source lines from marker to marker.
#ifndef VEER_COVERAGE_SEGMENTS_H
#define VEER_COVERAGE_SEGMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/shape.h"
#include "base/buf.h"

struct segments;

// Reads what follows COVER_PATHS. The bytes may be damaged or hostile: then in->bad is set and NULL returned. `files`:
// what the unit's numbers of files stand for.
struct segments *segments_read(struct cursor *in, const uint32_t *files, uint32_t n_files);
void segments_free(struct segments *s);

uint32_t segments_count(const struct segments *s);

// Whether conditions on it contradict each other, so that no run passes through it. number < segments_count().
bool segments_infeasible(const struct segments *s, uint32_t number);

// Whether runs with made-up state cannot prove that it is out of reach (instrument/infeasible.h).
bool segments_unprovable(const struct segments *s, uint32_t number);

struct segment_line {
	uint32_t file, line;
};

enum segment_end { SEGMENT_MARKER, SEGMENT_EXIT, SEGMENT_COMPUTED };

struct segment_place { // of a marker
	enum shape_marker_kind kind;
	uint32_t file, line, column;
};

struct segment {
	struct segment_place from, to; // to: when it ends at a marker
	enum segment_end end;
	struct segment_line *lines; // in the order in which control comes to them; caller frees
	uint32_t n;
};

uint32_t segments_marker(const struct segments *s, uint32_t number); // the number of the one that it begins at

struct segment_range {
	uint32_t first, end;
};

struct segment_choice {
	uint32_t point;                  // of the graph (abi/graph.h), plus 1; 0: it has none
	struct segment_range all, taken; // the segments that come there as this one does; of them, those that go on so
};

// The k-th place, from 0, where the way of a segment parts from others'. False: it has fewer.
bool segments_choice(const struct segments *s, uint32_t number, uint32_t k, struct segment_choice *ret);
// number < segments_count().
struct segment segments_get(const struct segments *s, uint32_t number);

#endif
