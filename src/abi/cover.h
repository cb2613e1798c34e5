// Which parts of a program ran. A variant with counters has, per unit, an array of whole pages in the section
// veer_cover, which starts with this header; behind it a byte for each block and each branch edge, set to 1
// when control comes there. The runtime puts the shared file RUN/cover in the place of these pages, so veer sees
// them whatever becomes of the program. What the bytes mean stands in the section veer_cover_sites of the variant.
#ifndef VEER_ABI_COVER_H
#define VEER_ABI_COVER_H

#include <stdint.h>

#define COVER_FILE "cover"
#define COVER_SECTION "veer_cover"
#define COVER_SITES_SECTION "veer_cover_sites"
#define COVER_MAGIC 0x315245564f434556u          // "VECOVER1"
#define COVER_MAGIC_SEGMENTS 0x535245564f434556u // "VECOVERS": of a unit that counts segments, too

// A module with counters has this note, so that the runtime finds its pages: two 64-bit words, the distance from each
// to where the section starts and ends.
#define COVER_NOTE_SECTION ".note.veer.cover"
#define COVER_NOTE_NAME "veer"
#define COVER_NOTE_TYPE 1

struct cover_unit {
	uint64_t magic;
	uint64_t unit;     // names it, the same in veer_cover_sites
	uint32_t count;    // bytes that follow
	uint32_t in_place; // kept by the runtime: the shared file is here
};

// With COVER_MAGIC_SEGMENTS the header is larger.
struct cover_segments {
	struct cover_unit unit;
	uint64_t passed; // segments that control passed through since the last time this was cleared, again and again
	uint64_t none;   // its first byte is set in the place of a segment by a run that begins in the middle of a
	                 // function
};

// veer_cover_sites: for each unit this header and, behind it, numbers as in LEB128 and strings (a number of bytes, and
// the bytes):
//
//   number of files | their paths
//   number of functions, and of each: name | 1 if it is borrowed | file | line | number of items | items
//
// A borrowed function is one that another unit has: this one has it to be inlined (C's `inline`).
//
// The items of all functions, one after the other, stand for the unit's bytes. An item is its kind, then what follows:
enum cover_kind {
	COVER_BLOCK,  // one byte:  number of lines | of each: file, line. A function's first block has the function's
	              // own line
	COVER_BRANCH, // two bytes, the condition is false, it is true:  file | line | column
	COVER_CASE,   // one byte, a place that a switch jumps to:  file | line | column, of the switch
	COVER_PATHS,  // a byte for each of the function's segments, in units that count them; see below
};

// Of COVER_PATHS follow the number of bytes, the number of nodes, and the nodes of a graph; of each:
//
//   0, or 1 + its number among the function's markers | of a marker: enum shape_marker_kind | file | line | column
//   number of lines | of each: file, line
//   1 if a computed goto chooses among the edges, else 0 | number of edges | of each: the node that it leads to
//   of several edges: the point (abi/graph.h) where they part, plus 1; 0: none
//
// then the number of infeasible segments (instrument/infeasible.h), and of each how many are between it and the one
// before; then the same of those that are not provable.
//
// Edges lead to markers, or to nodes that come later. A segment begins at a marker; it ends at the next one, at a node
// without edges (control leaves the function), or at a computed goto. The segments of marker 0 come first, then those
// of marker 1, and so on; of those that share nodes up to one with several edges, first those that take its first edge.
struct cover_sites {
	uint64_t magic, unit;
	uint32_t count; // bytes of the unit, without the header
	uint32_t size;  // of what follows
};

#endif
