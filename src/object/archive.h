// Reading `ar` archives, thin ones included.
#ifndef VEER_OBJECT_ARCHIVE_H
#define VEER_OBJECT_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct archive {
	const uint8_t *data;
	size_t size, at;
	bool thin;
	const char *long_names;
	size_t long_names_size;
};

struct archive_member {
	char name[1024];     // a path relative to the archive's folder when the archive is thin
	const uint8_t *data; // NULL in a thin archive
	size_t size;
};

// Returns false when the bytes are not an archive.
bool archive_open(struct archive *ar, const void *data, size_t size);

// Moves to the next member that is a file (symbol tables are passed over).
// Returns false at the end, and at the first damaged header.
bool archive_next(struct archive *ar, struct archive_member *ret);

#endif
