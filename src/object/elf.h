// The little of ELF that veer needs: finding sections by name, and appending
// one. Reads 64-bit little-endian files only; every offset is checked, since
// files may be damaged or hostile.
#ifndef VEER_OBJECT_ELF_H
#define VEER_OBJECT_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum elf_type { ELF_RELOCATABLE = 1, ELF_EXECUTABLE = 2, ELF_SHARED = 3 }; // a PIE is ELF_SHARED

struct elf {
	const uint8_t *data;
	size_t size;
	enum elf_type type;
	uint64_t sections_at;
	uint32_t sections, names_index;
	const uint8_t *names;
	size_t names_size;
};

struct elf_section {
	const uint8_t *data;
	size_t size;
};

// True when the bytes start like any ELF file, whatever its class.
bool elf_is(const void *data, size_t size);

// Returns 0 and fills *ret, which points into `data`; or -1.
int elf_parse(const void *data, size_t size, struct elf *ret, struct err *err);

// Finds the next section called `name`, starting at index *at (begin with 0).
// Returns true and moves *at past it; false when there is none or when it does
// not lie inside the file (*ret_bad, when not NULL, tells the two apart).
bool elf_next(const struct elf *elf, const char *name, uint32_t *at, struct elf_section *ret, bool *ret_bad);

// The folders in which the loader looks for libraries (DT_RUNPATH, else DT_RPATH);
// NULL when there are none. *ret_old tells that it was DT_RPATH.
const char *elf_library_path(const struct elf *elf, bool *ret_old);

// True when the name stands among the dynamic symbols, imported or exported.
bool elf_names_dynamic(const struct elf *elf, const char *name);

// Adds a section that is not loaded at run time. All that was in the file stays
// where it is; only the header is changed, as the last step, so a failure (disk
// full) leaves the file as it was.
int elf_append(const char *path, const char *name, const void *data, size_t size, struct err *err);

// Maps the file and calls `each` for its sections of that name, until it returns other than 0. -1 with *err filled,
// which names the file, when that was so, or the file is damaged.
int elf_each(const char *path, const char *name,
             int (*each)(void *opaque, const void *data, size_t size, struct err *err), void *opaque, struct err *err);

#endif
