// Segments of functions that were compiled once more, with other things around them: which segment of the firmware has
// the same instructions.
#ifndef VEER_FIRMWARE_LIKENESS_H
#define VEER_FIRMWARE_LIKENESS_H

#include "firmware/program.h"

struct likeness_entry {
	uint64_t shape; // of a segment's instructions
	uint32_t function, number;
	bool many; // segments have them
};

struct likeness {
	const struct program *firmware, *other;
	uint32_t function; // of the firmware, that `entries` are of; CODE_NONE: none
	struct likeness_entry *entries;
	uint32_t n;
};

void likeness_init(struct likeness *a, const struct program *firmware, const struct program *other);
void likeness_release(struct likeness *a);
// The segment of the firmware's function of that name with the same instructions as a segment of the other program.
// False: there is none, or more than one.
bool likeness_find(struct likeness *a, const char *name, uint32_t function, uint32_t number, uint32_t *ret_function,
                   uint32_t *ret_number);

#endif
