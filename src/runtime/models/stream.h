// Streams that are input: where a FILE is in its file, and what is in its buffer.
#ifndef VEER_RUNTIME_MODELS_STREAM_H
#define VEER_RUNTIME_MODELS_STREAM_H

#include <stdio.h>

#include "runtime/models/reading.h"

enum { LIBC_NO_WRITES = 0x8, LIBC_EOF = 0x10, LIBC_ERROR = 0x20, LIBC_IN_BACKUP = 0x100 }; // of _flags

struct stream {
	FILE *file; // NULL: free
	int fd;
	struct rt_source *source; // NULL: no input
	uint64_t end;             // offset of the byte behind the buffer
	const char *buffer_end;   // as it was when `end` was found
	bool open_end;            // the end of the buffer has a label
	uint64_t tried; // end of what the last fread asked for, UINT64_MAX: with a label; 0: no fread was last
	uint64_t last;  // offset behind the last byte that was read since the last seek, 0: none
};

// What the stream reads from; NULL when that is no input. Looked at again when its buffer is
// empty, since another file can be under a descriptor.
// A place in the buffer that the program computed is concretised.
struct stream *stream_of(FILE *f, struct site *site);

// A FILE that was opened or closed: it can be where another was.
void stream_forget(FILE *f);

// Bytes that were pushed back; others that were read from the file and not yet from the stream.
uint64_t stream_pushed_back(FILE *f);
uint64_t stream_unread(FILE *f);

// The offset of the next byte that is not pushed back.
uint64_t stream_position(const struct stream *s);

// The buffer is new. Of a stream without positions, the `n` bytes at `taken` came as well,
// before it.
void stream_refilled(struct stream *s, const void *taken, uint64_t n);

// Did the last read meet the end of the file?
bool stream_is_at_end(FILE *f);

// For the functions that lock; nothing while there is one thread.
void stream_lock(FILE *f);
void stream_unlock(FILE *f);

#endif
