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
	uint32_t zero;
	// name, data; then up to a multiple of 8
};

static inline uint64_t object_record_room(uint64_t name, uint64_t size)
{
	return (sizeof(struct object_record) + name + size + 7) / 8 * 8;
}

// Gives an object its bytes. The records lie at a multiple of 8 and can be written to.
static inline void objects_take(void *records, uint64_t room, const char *name, void *to, uint64_t size)
{
	struct object_record *stream = NULL, *r;
	for (uint64_t at = 0; room - at >= sizeof *r; at += object_record_room(r->name, r->size)) {
		r = (struct object_record *)((char *)records + at);
		const char *own = (const char *)(r + 1);
		if (!r->name || object_record_room(r->name, r->size) > room - at || own[r->name - 1])
			return; // damaged: by the program, who else
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
