// Streams over memory: fmemopen to read, open_memstream to write. What is read from one has
// the labels of the memory; what is written is kept, with labels, until libc puts it there.
// A stream of fmemopen that can be written passes none: where it is cannot be asked without
// writing what is in its buffer.
#ifndef VEER_RUNTIME_MODELS_MEMORY_STREAM_H
#define VEER_RUNTIME_MODELS_MEMORY_STREAM_H

#include <stdio.h>

#include "runtime/models/model.h"

struct memory_stream;

// NULL for any other stream.
struct memory_stream *memory_stream_of(FILE *f);
struct memory_stream *memory_stream_to_read(FILE *f);
void memory_stream_closed(struct memory_stream *m); // all that was written is in memory

// Where the stream is, when that can be asked; leaves errno alone.
uint64_t memory_stream_position(const struct memory_stream *m);

// Label of the byte at an offset that was read as `c`, 32 bits wide; EOF: it was the end.
label memory_stream_byte(struct memory_stream *m, uint64_t offset, int c);
// `n` bytes were read from `offset` on, to `to`.
void memory_stream_read(struct memory_stream *m, uint64_t offset, void *to, uint64_t n);

// `n` bytes at `data` were written at `offset`.
void memory_stream_written(struct memory_stream *m, uint64_t offset, const void *data, uint64_t n);
// What was written is in memory now. NULL: of all streams.
void memory_stream_flushed(FILE *f);

#endif
