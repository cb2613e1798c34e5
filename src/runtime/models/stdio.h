// How a FILE is read, between the models of it: stdio.c has bytes and blocks, stdio_line.c lines, stdio_position.c
// where the stream is, opening and closing.
#ifndef VEER_RUNTIME_MODELS_STDIO_H
#define VEER_RUNTIME_MODELS_STDIO_H

#include <stdio.h>

#include "runtime/models/memory_stream.h"
#include "runtime/models/stream.h"

struct stdio_byte { // a byte of a stream that is input
	int c;
	bool pushed; // it had been pushed back
	label byte;  // 8 bits wide
	uint64_t at; // its offset, when it was not pushed back
	bool known;  // that it is there, or that this is the end, follows from the length
};

// Takes the next byte, as getc does. The stream is locked.
struct stdio_byte stdio_take(struct stream *s, struct site *site);

struct stdio_front { // what is read first
	uint64_t pushed, unread;
	uint64_t at; // offset of what was not pushed back
	label labels[64];
};

// Before a read of many bytes, and after it: `n` bytes were read to `to`, which get their labels. Returns how many of
// them had been pushed back.
struct stdio_front stdio_front(struct stream *s);
uint64_t stdio_filled(struct stream *s, struct site *site, struct stdio_front *front, char *to, uint64_t n);

// A read from a stream that is no input: it may be one over memory.
struct stdio_other {
	struct memory_stream *memory;
	uint64_t at, pushed;
};

// Likewise before and after it.
struct stdio_other stdio_other_starts(FILE *f);
void stdio_other_ends(const struct stdio_other *o, char *to, uint64_t n);

#endif
