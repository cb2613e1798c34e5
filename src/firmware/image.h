// The file of a firmware: ELF for 32-bit ARM, little endian. The file may be damaged or hostile.
#ifndef VEER_FIRMWARE_IMAGE_H
#define VEER_FIRMWARE_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/file.h"

struct image_part { // what is loaded
	uint32_t address, size;
	uint32_t load;       // where a programmer puts it; start-up code copies it to `address`
	const uint8_t *data; // of the file: `filled` bytes, the rest is 0
	uint32_t filled;
	bool code;
};

struct image_symbol { // a function
	const char *name;
	uint32_t address, size; // without the bit that says Thumb
};

struct image_name { // a function or an object, as the table of symbols has it
	const char *name;
	const char *file; // of the source, without folders; NULL: it is known to all units
	uint32_t address, size;
	bool function;
};

struct image {
	struct file_map map;
	struct image_part *parts;
	uint32_t n_parts;
	struct image_symbol *symbols; // by address, one for each address; size: at most up to the next one
	uint32_t n_symbols;
	struct image_name *names;
	uint32_t n_names;
	uint32_t entry;
};

int image_open(struct image *ret, const char *path, struct err *err);
void image_close(struct image *image);

// What has that name: static in the source `file`, or known to all units (file NULL). NULL: nothing has.
const struct image_name *image_find(const struct image *image, const char *name, const char *file);

// The bytes at an address, as far as they are in one part and in the file. NULL: fewer than `n`.
const uint8_t *image_at(const struct image *image, uint32_t address, uint32_t n);

#endif
