// How a run is given the bytes of objects that the program makes symbolic itself: records one after the other, in the
// shared trace (abi/trace.h), or, where there is no trace, in a file of this name beside the folder of reports.
//
// The k-th object of a name takes the k-th record of that name, whatever other objects a path makes before it. Objects
// without a record take the next bytes of the stream, which is the record without a name; what that does not have
// stays as it is.
#ifndef VEER_ABI_OBJECTS_H
#define VEER_ABI_OBJECTS_H

#include <stdint.h>
#include <string.h>

#define OBJECTS_FILE "objects"

struct object_record {
	uint32_t size;  // of its data
	uint32_t name;  // size of its name, with the NUL
	uint32_t taken; // by the run: bytes of the stream; 1 for others
	uint32_t cell;  // 1: a cell of a fragment (abi/fragment.h), 0: an object
	                // name, data; then up to a multiple of 8
};

static inline uint64_t object_record_room(uint64_t name, uint64_t size)
{
	return (sizeof(struct object_record) + name + size + 7) / 8 * 8;
}

// The record behind `r`, the first one for NULL; NULL: there are no more, or the program has damaged them.
static inline struct object_record *object_record_next(void *records, uint64_t room, const struct object_record *r)
{
	uint64_t at = r ? (uint64_t)((const char *)r - (char *)records) + object_record_room(r->name, r->size) : 0;
	struct object_record *next = (struct object_record *)((char *)records + at);
	if (at > room || room - at < sizeof *next || !next->name ||
	    object_record_room(next->name, next->size) > room - at || ((const char *)(next + 1))[next->name - 1])
		return NULL;
	return next;
}

// Gives an object its bytes. The records lie at a multiple of 8 and can be written to.
static inline void objects_take(void *records, uint64_t room, const char *name, void *to, uint64_t size)
{
	struct object_record *stream = NULL;
	for (struct object_record *r = NULL; (r = object_record_next(records, room, r));) {
		const char *own = (const char *)(r + 1);
		if (r->cell)
			continue;
		if (r->name == 1) {
			stream = r;
		} else if (!r->taken && strcmp(own, name) == 0) {
			r->taken = 1;
			memcpy(to, own + r->name, size < r->size ? size : r->size);
			return;
		}
	}
	if (!stream || stream->taken > stream->size)
		return;
	uint64_t left = stream->size - stream->taken, n = size < left ? size : left;
	memcpy(to, (const char *)(stream + 1) + 1 + stream->taken, n);
	stream->taken += (uint32_t)n;
}

#endif
