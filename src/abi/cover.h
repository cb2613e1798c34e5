// Which parts of a program ran. A variant with counters has, per unit, an array of whole pages in the section
// veer_cover, which starts with this header; behind it a byte for each block and each side of a branch, set to 1
// when control comes there. The runtime puts the shared file RUN/cover in the place of these pages, so veer sees
// them whatever becomes of the program. What the bytes mean stands in the section veer_cover_sites of the variant.
#ifndef VEER_ABI_COVER_H
#define VEER_ABI_COVER_H

#include <stdint.h>

#define COVER_FILE "cover"
#define COVER_SECTION "veer_cover"
#define COVER_SITES_SECTION "veer_cover_sites"
#define COVER_MAGIC 0x315245564f434556u // "VECOVER1"

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
};

struct cover_sites {
	uint64_t magic, unit;
	uint32_t count; // bytes of the unit, without the header
	uint32_t size;  // of what follows
};

#endif
