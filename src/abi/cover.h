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
#define COVER_MAGIC 0x31524556434f4556u // "VECOVER1"

struct cover_unit {
	uint64_t magic;
	uint64_t unit;  // names it, the same in veer_cover_sites
	uint32_t count; // bytes that follow
	uint32_t zero;
};

#endif
